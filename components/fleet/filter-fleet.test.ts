import { describe, expect, it } from "vitest";
import type { CrdSummary } from "#lib/contract/definition/crd.ts";
import { type FleetFilter, filterFleet, recognizeApiError } from "./filter-fleet.ts";

describe("recognizeApiError", () => {
  it.each([
    {
      name: "the older error with the definition",
      text: 'The CustomResourceDefinition "crontabs.stable.example.com" is invalid: status.storedVersions[0]: Invalid value: "v1alpha1": must appear in spec.versions',
      crd: "crontabs.stable.example.com",
      versions: ["v1alpha1"],
    },
    {
      name: "the newer error without the definition",
      text: 'status.storedVersions[1]: Invalid value: "v1beta1": missing from spec.versions; v1beta1 was previously a storage version, and must remain in spec.versions',
      crd: null,
      versions: ["v1beta1"],
    },
    {
      name: "an error escaped in JSON, with two versions",
      text: String.raw`CustomResourceDefinition.apiextensions.k8s.io \"a.b.c\" is invalid: [status.storedVersions[0]: Invalid value: \"v1\": must appear in spec.versions, status.storedVersions[1]: Invalid value: \"v2\": must appear in spec.versions]`,
      crd: "a.b.c",
      versions: ["v1", "v2"],
    },
    {
      name: "another error about a definition",
      text: 'CustomResourceDefinition "a.b" is invalid: spec.group: Required value',
      crd: "a.b",
      versions: [],
    },
  ])("reads $name", ({ text, crd, versions }) => {
    expect(recognizeApiError(text)).toEqual({ crd, versions });
  });

  it.each(["", "crontabs", "status.storedVersions", "stable.example.com/v1"])("ignores %j", (text) => {
    expect(recognizeApiError(text)).toBeNull();
  });
});

describe("filterFleet", () => {
  // The filter reads no other fields.
  const crd = (name: string, state: string, leftoverVersions: string[] = []) =>
    ({ name, kind: "CronTab", group: name.slice(name.indexOf(".") + 1), state, leftoverVersions }) as unknown as CrdSummary;
  const fleet = [
    crd("crontabs.stable.example.com", "needs-rewrite", ["v1beta1"]),
    crd("widgets.example.com", "current"),
    crd("gadgets.example.com", "blocked", ["v1alpha1"]),
  ];
  const shown = (filter: Partial<FleetFilter>) =>
    filterFleet(fleet, { text: "", states: [], group: null, ...filter }).map(({ name }) => name.split(".")[0]);

  it("shows everything without a filter", () => {
    expect(shown({})).toEqual(["crontabs", "widgets", "gadgets"]);
  });

  it("combines states, group and every word of the text", () => {
    expect(shown({ states: ["current", "blocked"] })).toEqual(["widgets", "gadgets"]);
    expect(shown({ group: "example.com", states: ["blocked"] })).toEqual(["gadgets"]);
    expect(shown({ text: "CRONTAB stable" })).toEqual(["crontabs"]);
    expect(shown({ text: "crontab elsewhere" })).toEqual([]);
  });

  it("finds the definition that a pasted error names, and else those with the version that must stay", () => {
    const named =
      'The CustomResourceDefinition "widgets.example.com" is invalid: status.storedVersions[0]: Invalid value: "v1": must appear in spec.versions';
    expect(shown({ text: named })).toEqual(["widgets"]);
    expect(shown({ text: 'status.storedVersions[0]: Invalid value: "v1alpha1": missing from spec.versions' })).toEqual(["gadgets"]);
  });
});
