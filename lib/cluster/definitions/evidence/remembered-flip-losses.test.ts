import { afterEach, expect, test } from "vitest";
import type { Loss } from "#lib/domain/losses/losses.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { forgetDefinition } from "./per-definition.ts";
import { rememberedFlipLosses, rememberFlipLosses } from "./remembered-flip-losses.ts";

const here = { server: "https://here:6443" };
const crd = sampleCrd();
const nothing = { losses: [], more: 0 };
afterEach(() => forgetDefinition(here, crd.uid));

// Whoever asks next may not be allowed to list the objects: the examples named them, with their namespaces.
test("of the losses that a check found, only paths and numbers are remembered", () => {
  const found: Loss = {
    ...{ kind: "dropped", path: "spec.note", objects: 2 },
    examples: [{ namespace: "secret", name: "merger", version: "v1beta1", before: '"precious"', after: null }],
  };
  rememberFlipLosses(here, crd, "v1", { losses: [found], more: 0 });
  expect(rememberedFlipLosses(here, crd, "v1").losses).toEqual([{ kind: "dropped", path: "spec.note", objects: 2, examples: [] }]);
  expect(found.examples).toHaveLength(1);
});

test("they count for this spec and this new storage version only", () => {
  const found: Loss = { kind: "dropped", path: "spec.note", objects: 1, examples: [] };
  rememberFlipLosses(here, crd, "v1", { losses: [found], more: 0 });
  expect(rememberedFlipLosses(here, crd, "v1")).toEqual({ losses: [found], more: 0 });
  expect(rememberedFlipLosses(here, crd, "v2")).toEqual(nothing);
  expect(rememberedFlipLosses({ server: "https://clone:6443" }, crd, "v1")).toEqual(nothing);
  expect(rememberedFlipLosses(here, { ...crd, generation: crd.generation + 1 }, "v1")).toEqual(nothing);
});

// Thousands of versions with hundreds of losses each would fill the memory.
test("of storage versions that were checked long ago, one loss and the number of the others are remembered", () => {
  const losses = Array.from({ length: 100 }, (_, index): Loss => ({ kind: "dropped", path: `spec.f${index}`, objects: 1, examples: [] }));
  const versions = Array.from({ length: 200 }, (_, index) => `v${index}`);
  for (const version of versions) rememberFlipLosses(here, crd, version, { losses, more: 7 });
  const kept = versions.map((version) => rememberedFlipLosses(here, crd, version));
  expect(kept[0]).toEqual({ losses: losses.slice(0, 1), more: 106 });
  expect(kept.map((known) => known.losses.length).filter((length) => length > 1)).toEqual(Array.from({ length: 10 }, () => 100));
  expect(kept.at(-1)).toEqual({ losses, more: 7 });
});
