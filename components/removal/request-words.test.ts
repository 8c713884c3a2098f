import { describe, expect, test } from "vitest";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { deprecatedText, openWatchesText, otherVersionsText } from "./request-words.ts";

const versions = ["v1", "v1beta1"].map((name): CrdDetail["versions"][number] => ({
  ...{ name, served: true, storage: name === "v1", deprecated: false, deprecationWarning: null, customWarning: null, priorityReason: "" },
}));
const counter = (version: string, requests: number, verb = "GET") => ({ version, verb, code: "200", subresource: "", requests });

describe("other versions", () => {
  test("are listed with their totals, including versions the definition no longer has", () => {
    const requests = [counter("v1", 1_200), counter("v1", 4, "LIST"), counter("v1alpha1", 3), counter("v1beta1", 9)];
    expect(otherVersionsText(versions, "v1beta1", { requests }, new Map([["v1", 12]]))).toBe(
      "Other versions, for comparison: v1 1,204 (12 more), v1alpha1 3.",
    );
  });
  test("without a request show 0, and a single version gives an empty text", () => {
    expect(otherVersionsText(versions, "v1", { requests: [] }, new Map())).toBe("Other versions, for comparison: v1beta1 0.");
    expect(otherVersionsText(versions.slice(0, 1), "v1", { requests: [] }, new Map())).toBe("");
  });
});

test.each([
  [0, "A watch is counted when it ends; none is open now."],
  [1, "A watch is counted when it ends; 1 more is open now."],
  [2, "A watch is counted when it ends; 2 more are open now."],
])("%i open watches are shown beside the counters", (watches, expected) => {
  const openWatches = [{ version: "v1", watches: 7 }, ...(watches > 0 ? [{ version: "v1beta1", watches }] : [])];
  expect(openWatchesText("v1beta1", { openWatches })).toBe(expected);
});

describe("a deprecated version", () => {
  const requested = { deprecatedRequested: [{ version: "v1beta1", subresource: "status" }] };
  test("says whether it has been requested", () => {
    expect(deprecatedText({ name: "v1beta1", deprecated: true }, requested)).toMatch(/has been requested/);
    expect(deprecatedText({ name: "v1beta1", deprecated: true }, { deprecatedRequested: [] })).toMatch(/has not been requested/);
  });
  test("says so after the deprecation is undone, and a version that never was deprecated says nothing", () => {
    expect(deprecatedText({ name: "v1beta1", deprecated: false }, requested)).toMatch(/has been requested/);
    expect(deprecatedText({ name: "v1", deprecated: false }, requested)).toBe("");
  });
});
