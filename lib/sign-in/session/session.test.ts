import { expect, test } from "vitest";
import { fitsCookie, newSession, sessionCookies } from "./session.ts";

// Without the name's key in fitsCookie (session.ts), a sign-in whose token the cluster has accepted ends with an internal error.
test("the longest token that fits does so with the longest name", () => {
  let bytes = 0;
  while (fitsCookie("t".repeat(bytes + 1))) bytes += 1;
  const session = newSession("token", { text: "t".repeat(bytes), expiresAt: null }, "u".repeat(254));
  expect(session.user).toHaveLength(254);
  expect(() => sessionCookies(new Request("http://localhost", { headers: { host: "localhost" } }), session)).not.toThrow();
});
