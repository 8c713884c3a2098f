import { expect, it } from "vitest";
import type { CrdVersion } from "#lib/contract/definition/crd.ts";
import { shownVersion } from "./version-select.tsx";

const version = (name: string, served: boolean): CrdVersion => ({
  name,
  served,
  storage: false,
  deprecated: false,
  deprecationWarning: null,
  customWarning: null,
  priorityReason: "",
});

it("is the requested version, else the storage version if served, else the preferred one", () => {
  const crd = { versions: [version("v1", true), version("v1beta1", true)], storageVersion: "v1beta1", preferredVersion: "v1" };
  expect(shownVersion(crd, "v2")).toBe("v2");
  expect(shownVersion(crd, null)).toBe("v1beta1");
  expect(shownVersion({ ...crd, versions: [version("v1", true), version("v1beta1", false)] }, null)).toBe("v1");
  expect(shownVersion({ versions: [], storageVersion: null, preferredVersion: null }, null)).toBeNull();
});
