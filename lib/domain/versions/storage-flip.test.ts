import { describe, expect, test } from "vitest";
import type { Loss } from "#lib/domain/losses/losses.ts";
import { sampleCrd, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import {
  acceptedFlipSentence,
  acceptsFlip,
  type FlipLosses,
  flipRefusal,
  flipSampleSentence,
  flipSight,
  flipsUnconverted,
} from "./storage-flip.ts";

const v1 = sampleVersion("v1");
const v1beta1 = sampleVersion("v1beta1", { storage: true });
const v1alpha1 = sampleVersion("v1alpha1");
const crd = sampleCrd({ versions: [v1, v1beta1, v1alpha1], storedVersions: ["v1beta1"] });
const converted = { ...crd, conversion: { strategy: "Webhook", target: "x" } as const };

const loss = (path: string, objects = 1, kind: Loss["kind"] = "dropped"): Loss => ({ kind, path, objects, examples: [] });
const found = (changes: Partial<FlipLosses> = {}): FlipLosses => ({
  ...{ from: "v1beta1", to: "v1", generation: 2, total: 10, checked: 10, losses: [], moreLosses: 0, unknownBecause: null },
  asOf: "2026-01-02T12:00:00.000Z",
  ...changes,
});

test("only a move of the storage flag where nothing converts drops anything", () => {
  expect(flipsUnconverted(crd, "v1", { storage: true })).toBe(true);
  expect(flipsUnconverted(crd, "v1beta1", { storage: true })).toBe(false);
  expect(flipsUnconverted(crd, "v1", { served: false })).toBe(false);
  expect(flipsUnconverted(converted, "v1", { storage: true })).toBe(false);
});

describe("objects are read", () => {
  test("as they are stored: at the storage version, and at leftover versions but the new one", () => {
    expect(flipSight(crd, "v1")).toEqual({ kind: "comparable", at: ["v1beta1"], unknownBecause: null });
    const leftovers = { ...crd, storedVersions: ["v1alpha1", "v1", "v1beta1"] };
    expect(flipSight(leftovers, "v1")).toEqual({ kind: "comparable", at: ["v1beta1", "v1alpha1"], unknownBecause: null });
  });

  test("at every other served version where the storage version is not served, which does not show all", () => {
    const unserved = { ...crd, versions: [v1, { ...v1beta1, served: false }, v1alpha1] };
    expect(flipSight(unserved, "v1")).toEqual({
      kind: "comparable",
      at: ["v1alpha1"],
      unknownBecause: expect.stringMatching(/^v1beta1 is not served.*Serve v1beta1 again/),
    });
  });

  test("in vain where a leftover version, or the new one, is not served", () => {
    const hidden = { ...crd, versions: [v1, v1beta1, { ...v1alpha1, served: false }], storedVersions: ["v1alpha1", "v1beta1"] };
    expect(flipSight(hidden, "v1")).toMatchObject({ at: ["v1beta1"], unknownBecause: expect.stringContaining("v1alpha1 is not served") });
    const blind = { ...crd, versions: [{ ...v1, served: false }, v1beta1] };
    expect(flipSight(blind, "v1")).toMatchObject({ at: [], unknownBecause: expect.stringContaining("Serve v1 first") });
  });

  test("not at all where a webhook decides, or nothing moves", () => {
    expect(flipSight(converted, "v1")).toEqual({ kind: "blind", unknownBecause: expect.stringMatching(/webhook decides.*dry run/) });
    expect(flipSight(crd, "v1beta1")).toEqual({ kind: "blind", unknownBecause: expect.stringContaining("already the storage version") });
  });
});

describe("a flip is held back", () => {
  test("by what is dropped or changed, with where it was looked, and by no default", () => {
    const refusal = flipRefusal(found({ total: 1_000, checked: 200, losses: [loss("spec.note", 3), loss("spec.x", 1, "changed")] }));
    expect(refusal?.message).toBe(
      "With v1 as the storage version, at the next write spec.note would be dropped in 3 objects, and 1 other path would be affected; 200 of 1,000 objects checked.",
    );
    expect(refusal?.nextStep).toContain("schema of v1");
    expect(flipRefusal(found({ losses: [loss("spec.mode", 3, "defaulted")] }))).toBeNull();
    expect(flipRefusal(found())).toBeNull();
  });

  test("by what is listed and what is unknown, both named, with the word that accepts both", () => {
    expect(flipRefusal(found({ losses: [loss("spec.note", 3)], unknownBecause: "Not allowed." }))).toMatchObject({
      message: expect.stringMatching(
        /spec\.note would be dropped in 3 objects; .* checked\. crdshift can't tell what else .* Not allowed\.$/,
      ),
      nextStep: expect.stringMatching(/accept the losses \(acceptLosses\)\. To accept the others unseen, too, set acceptLosses: true/),
    });
    expect(flipRefusal(found({ losses: [loss("spec.note")], moreLosses: 1 }))?.nextStep).toContain("acceptLosses: true");
    expect(flipRefusal(found({ losses: [loss("spec.note")] }))?.nextStep).not.toContain("acceptLosses: true");
  });

  test("by what could not be found out", () => {
    expect(flipRefusal(found({ unknownBecause: "Not allowed." }))).toMatchObject({
      message: "crdshift can't tell what objects would lose with v1 as the storage version. Not allowed.",
      losses: [],
    });
  });
});

test("what is accepted is what was named, and only where all could be seen", () => {
  const two = found({ losses: [loss("spec.note"), loss("spec.x")] });
  expect(acceptsFlip(two, undefined)).toBe(false);
  expect(acceptsFlip(two, ["spec.note"])).toBe(false);
  expect(acceptsFlip(two, ["spec.x", "spec.note", "spec.gone"])).toBe(true);
  expect(acceptsFlip({ ...two, moreLosses: 1 }, ["spec.x", "spec.note"])).toBe(false);
  expect(acceptsFlip({ ...two, unknownBecause: "Not allowed." }, ["spec.x", "spec.note"])).toBe(false);
  expect(acceptsFlip({ ...two, unknownBecause: "Not allowed." }, true)).toBe(true);
  expect(acceptsFlip(found(), undefined)).toBe(true);
});

describe("the record says what was accepted", () => {
  test("by path, a few of them, cut where they are long", () => {
    const losses = [loss("spec.note", 3), loss(`spec.${"k".repeat(250)}`, 1, "changed"), loss("spec.a"), loss("spec.b")];
    const sentence = acceptedFlipSentence(found({ losses, moreLosses: 20 })) ?? "";
    expect(sentence).toMatch(
      /^Accepted: at the next write, spec\.note is dropped in 3 objects, spec\.k+… changes in 1 object, .*, and 21 other paths are affected\.$/,
    );
    expect(sentence.length).toBeLessThan(300);
  });

  test("unseen, and nothing where nothing is lost", () => {
    expect(acceptedFlipSentence(found({ unknownBecause: "Not allowed." }))).toBe("Unseen losses were accepted.");
    expect(acceptedFlipSentence(found())).toBeNull();
  });

  test("with the size of a sample", () => {
    expect(flipSampleSentence(found({ total: 1_000, checked: 200 }))).toBe("200 of 1,000 objects checked.");
    expect(flipSampleSentence(found())).toBeNull();
    expect(flipSampleSentence(found({ total: null, checked: 0 }))).toBeNull();
  });
});

// Without the set of served versions, this took 600 ms.
test("thousands of stored versions hold nobody up", async () => {
  const names = Array.from({ length: 8_000 }, (_, index) => `v${index + 1}`);
  const versions = names.map((name, index) => sampleVersion(name, { storage: index === 0, served: index < 2 }));
  const crd = sampleCrd({ versions, storedVersions: names });
  const { longest, result } = await whileWatched(async () => flipSight(crd, "v2"));
  expect(result).toMatchObject({ kind: "comparable", at: ["v1"] });
  expect(longest).toBeLessThan(LONGEST_TURN);
});
