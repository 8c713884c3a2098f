import { expect, test } from "vitest";
import { accountName } from "./header.tsx";

test.each([
  [{ mode: "token", signedIn: true, user: "system:serviceaccount:a:b" }, "system:serviceaccount:a:b"],
  [{ mode: "token", signedIn: true, user: null }, "Signed in with a token"],
  [{ mode: "token", signedIn: false, user: null }, "Not signed in"],
  [{ mode: "local", signedIn: true, user: null }, "Local session"],
  [{ mode: "unsafe-shared-readonly", signedIn: true, user: null }, "Shared account, read only"],
] as const)("%o is %s", (session, name) => {
  expect(accountName(session)).toBe(name);
});
