import { expect, test } from "vitest";
import { serviceAccountOf } from "./known-user.ts";

test.each([
  ["system:serviceaccount:team-a:ada", { namespace: "team-a", name: "ada" }],
  ["ada", null],
  ["system:serviceaccount:team-a", null],
  ["system:serviceaccount:team-a:", null],
  ["oidc:system:serviceaccount:team-a:ada", null],
])("%s stands for %o", (user, account) => {
  expect(serviceAccountOf(user)).toEqual(account);
});
