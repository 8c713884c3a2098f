import { afterEach, expect, test } from "vitest";
import type { Loss } from "#lib/domain/losses/losses.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { forgetDefinition } from "./per-definition.ts";
import { rememberedFlipLosses, rememberFlipLosses } from "./remembered-flip-losses.ts";

const here = { server: "https://here:6443" };
const crd = sampleCrd();
afterEach(() => forgetDefinition(here, crd.uid));

// Whoever asks next may not be allowed to list the objects: the examples named them, with their namespaces.
test("of the losses that a check found, only paths and numbers are remembered", () => {
  const found: Loss = {
    ...{ kind: "dropped", path: "spec.note", objects: 2 },
    examples: [{ namespace: "secret", name: "merger", version: "v1beta1", before: '"precious"', after: null }],
  };
  rememberFlipLosses(here, crd, "v1", [found]);
  expect(rememberedFlipLosses(here, crd, "v1")).toEqual([{ kind: "dropped", path: "spec.note", objects: 2, examples: [] }]);
  expect(found.examples).toHaveLength(1);
});

test("they count for this spec and this new storage version only", () => {
  const found: Loss = { kind: "dropped", path: "spec.note", objects: 1, examples: [] };
  rememberFlipLosses(here, crd, "v1", [found]);
  expect(rememberedFlipLosses(here, crd, "v1")).toEqual([found]);
  expect(rememberedFlipLosses(here, crd, "v2")).toEqual([]);
  expect(rememberedFlipLosses({ server: "https://clone:6443" }, crd, "v1")).toEqual([]);
  expect(rememberedFlipLosses(here, { ...crd, generation: crd.generation + 1 }, "v1")).toEqual([]);
});
