import { expect, test } from "vitest";
import { linkSecretOf, safeReturnPath } from "./sign-in.tsx";

test.each([
  "/",
  "/clusters/dev",
  "/clusters/arn%3Aaws%3Aeks%2Fa%20b/crds/a.example.com?q=x&state=blocked",
  "/clusters/dev?q=//evil.example.com",
  "/clusters/dev/crds/a.example.com?q=x#step-3",
  "/#//evil.example.com",
])("returns to %j", (from) => {
  expect(safeReturnPath(from)).toBe(from);
  expect(new URL(safeReturnPath(from), "https://crdshift.example.com/sign-in").origin).toBe("https://crdshift.example.com");
});

test.each([
  null,
  "",
  "clusters/dev",
  "//evil.example.com",
  "///evil.example.com",
  "/\\evil.example.com",
  "/\t/evil.example.com",
  "/\n\\evil.example.com",
  "/.//evil.example.com",
  "/a/..//evil.example.com",
  "/a/..\\\\evil.example.com",
  "\t//evil.example.com",
  "\\\\evil.example.com",
  "https://evil.example.com/",
  "http://here.invalid/clusters",
  "javascript:alert(1)",
  "//[",
  "/sign-in",
  "/sign-in?from=/sign-in",
  "/./sign-in#launch=x",
  "/sign-in#main",
  "//evil.example.com#/clusters/dev",
  "/\\evil.example.com#x",
  "#/clusters/dev",
])("returns to the first page instead of %j", (from) => {
  expect(safeReturnPath(from)).toBe("/");
});

test.each([
  ["#launch=aB3_-x", "aB3_-x"],
  ["#launch=", null],
  ["#main", null],
  ["#", null],
  ["", null],
])("%j holds %j", (fragment, secret) => {
  expect(linkSecretOf(fragment)).toBe(secret);
});
