import { expect, test } from "vitest";
import { sessionEndSchema } from "#lib/contract/session.ts";
import { endWords, isRunPage } from "./end-words.ts";

const inToken = (ended: Parameters<typeof endWords>[0]) => endWords(ended, { mode: "token", byProxy: false, showedRun: true }).text;

test("says what happens to a run: an expired token interrupts it, an ended session doesn't", () => {
  for (const ended of ["token-refused", "token-over"] as const) expect(inToken(ended)).toContain("is interrupted when its token expires");
  for (const ended of ["time-over", "signed-out"] as const) expect(inToken(ended)).toContain("continues until its token expires");
  expect(inToken("other-key")).toContain("shows as interrupted");
  expect(inToken("other-cluster")).toContain("is interrupted");
});

test.each(sessionEndSchema.options)("%s says what to do, and mentions a run only if one was shown", (ended) => {
  for (const [mode, what] of [
    ["token", "Sign in with a new token."],
    ["local", "Open the newest link"],
  ] as const) {
    const { text } = endWords(ended, { mode, byProxy: false, showedRun: false });
    expect(text).toContain(what);
    expect(text).not.toContain("rewrite");
  }
});

test("a token from a proxy points to the proxy", () => {
  const { text } = endWords("token-refused", { mode: "token", byProxy: true, showedRun: false });
  expect(text).toBe("It expired or was revoked. Sign in again at the proxy in front of crdshift.");
});

test.each([
  ["/clusters/a/crds/b.example.com/rewrites/1", true],
  ["/clusters/a/crds/b.example.com/rewrites/1/report?x=y#z", true],
  ["/clusters/a/crds/b.example.com", false],
  ["/clusters/a?q=/crds/b/rewrites/1", false],
  ["/", false],
])("isRunPage(%s) is %s", (path, is) => {
  expect(isRunPage(path)).toBe(is);
});
