import { expect, test } from "vitest";
import { launchSecretOf } from "./launch-secret-of.ts";

test.each([
  ["#launch=aB3_-x", "aB3_-x"],
  ["#launch=", null],
  ["#main", null],
  ["#", null],
  ["", null],
])("%j holds %j", (fragment, secret) => {
  expect(launchSecretOf(fragment)).toBe(secret);
});
