import { expect, test, vi } from "vitest";
import { beginAttempt, countSignIn, signIn } from "./sign-in.ts";

const start = 1_000_000;
const refusal = expect.objectContaining({ code: "too_many_requests" });

test("after twenty failed sign-ins within a minute, no more are tried until the oldest is a minute old", () => {
  for (let failed = 0; failed < 20; failed += 1) beginAttempt(start + failed * 1_000);
  expect(() => beginAttempt(start + 20_000)).toThrow(expect.objectContaining({ nextStep: "Wait 40 s, then try again." }));
  expect(() => beginAttempt(start + 59_999)).toThrow(refusal);
  beginAttempt(start + 60_000);
});

test("sign-ins in progress count against the limit, and successful ones don't", () => {
  const later = start + 10 * 60_000;
  const begun = Array.from({ length: 20 }, () => beginAttempt(later));
  expect(() => beginAttempt(later)).toThrow(refusal);
  for (const attempt of begun) attempt.takeBack();
  for (let succeeded = 0; succeeded < 100; succeeded += 1) beginAttempt(later).takeBack();
});

// Without takeBack (requireAccepted in sign-in.ts), twenty who try while the kubeconfig is missing keep everybody out for a minute.
test("sign-ins for which the cluster isn't asked, as the kubeconfig is missing, don't count", async () => {
  vi.stubEnv("CRDSHIFT_MODE", "token");
  vi.stubEnv("KUBECONFIG", "/missing/config");
  for (let tried = 0; tried < 21; tried += 1) {
    await expect(signIn({ token: "t" }, AbortSignal.timeout(10_000))).rejects.toMatchObject({ code: "invalid_input" });
  }
});

// Each sign-out is remembered for hours: without a limit, one person's would fill the memory.
test("one user signs in at most twenty times within a minute, and keeps nobody else out", () => {
  for (let index = 0; index < 20; index += 1) countSignIn("mallory", start + index * 1_000);
  expect(() => countSignIn("mallory", start + 20_000)).toThrow(expect.objectContaining({ nextStep: "Wait 40 s, then try again." }));
  countSignIn("alice", start + 20_000);
  countSignIn("mallory", start + 60_000);
});
