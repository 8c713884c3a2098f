import { describe, expect, test } from "vitest";
import { sampleCrd, sampleRecord } from "#lib/domain/definition/sample-crd.ts";
import { settleWaitMs, storageVersionHash } from "./settle.ts";

const changed = Date.parse("2026-01-01T00:00:00Z");
const at = (seconds: number) => changed + seconds * 1_000;

describe("the wait after the last change of the spec", () => {
  test.each([
    { after: 0, left: 66_000 },
    { after: 30.5, left: 35_500 },
    // Both clocks are cut to whole seconds: a change at 0.999 and a date of 66.0 may be 65.001 s apart, never less than 65.
    { after: 65, left: 1_000 },
    { after: 66, left: 0 },
    { after: 1_000_000, left: 0 },
  ])("is $left ms after $after s", ({ after, left }) => {
    expect(settleWaitMs(sampleCrd(), at(after), 65)).toBe(left);
  });

  test("is longer, not shorter, if the server's clock is behind the change", () => {
    expect(settleWaitMs(sampleCrd(), at(-10), 65)).toBe(76_000);
  });

  test("counts from when crdshift first saw the generation if managedFields don't say", () => {
    const record = sampleRecord({ generationSeen: { generation: 2, at: "2026-01-01T00:00:40Z" } });
    expect(settleWaitMs(sampleCrd({ specChangedAt: null, record }), at(60), 65)).toBe(46_000);
  });

  test.each([
    ["was never seen", null],
    ["was seen at an older generation", { generation: 1, at: "2026-01-01T00:00:00Z" }],
  ])("is the full wait if nothing gives the time and the spec %s", (_, generationSeen) => {
    const crd = sampleCrd({ specChangedAt: null, record: sampleRecord({ generationSeen }) });
    expect(settleWaitMs(crd, at(1_000_000), 65)).toBe(66_000);
  });

  test("is zero only if configured so", () => {
    expect(settleWaitMs(sampleCrd(), at(0), 0)).toBe(0);
  });
});

test("is the hash that API servers advertise, such as that of Deployments in any cluster's discovery", () => {
  expect(storageVersionHash("apps", "v1", "Deployment")).toBe("8aSe+NMegvE=");
});
