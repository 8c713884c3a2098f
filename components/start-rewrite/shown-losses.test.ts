import { expect, test } from "vitest";
import { UNKNOWN_THROUGH_STATUS } from "#lib/domain/losses/unknown-through-status.ts";
import { sampleCrd, sampleDryRunRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { ApiError } from "#lib/queries/api-client.ts";
import { noOptions, withheldBecause } from "./rewrite-options.ts";
import { refusedLosses, shownLosses } from "./shown-losses.ts";

const loss = { kind: "dropped" as const, path: "spec.a", objects: 3, examples: [] };
const dryRun = (changes: Parameters<typeof sampleDryRunRecord>[1] = {}, invalidBecause: string | null = null) => ({
  ...sampleDryRunRecord(sampleCrd(), { id: "tried", ...changes }),
  invalidBecause,
});
const unknown = { lossesKnown: false, lossesUnknownBecause: "One kept changing." };
const heldBack = sampleRun({ phase: "unproven", heldBackBecause: "A webhook may change objects." });
const crd = (tried: ReturnType<typeof dryRun> | null, run = sampleRun()) => ({ dryRun: tried, run });
const refused = (details: Record<string, unknown>) =>
  refusedLosses(new ApiError({ code: "precondition_failed", message: "Held back.", details }, 409));

test("a refusal is one for losses if it names some, or why they are unknown", () => {
  expect(refused({ losses: [loss], dryRun: "tried" })).toEqual({
    losses: [loss],
    moreLosses: 0,
    sample: null,
    dryRun: "tried",
    unknownBecause: null,
  });
  expect(refused({ losses: [], dryRun: "tried", unknownBecause: "Why." })).toMatchObject({ unknownBecause: "Why." });
  expect(refused({ losses: [], dryRun: "tried", unknownBecause: null })).toBeNull();
  // Otherwise nothing could be accepted where all that is listed was accepted before.
  expect(refused({ losses: [], moreLosses: 5, dryRun: "newer", unknownBecause: null })).toMatchObject({ moreLosses: 5 });
  expect(refused({ run: {} })).toBeNull();
  expect(refusedLosses(new Error("Lost."))).toBeNull();
});

test("the form shows what the recorded dry run found", () => {
  expect(shownLosses(crd(dryRun({ losses: [loss], moreLosses: 2 })), null)).toEqual({
    ...{ losses: [loss], more: 2, sample: null, dryRun: "tried", others: "none" },
  });
  expect(shownLosses(crd(dryRun({ ...unknown, losses: [loss] })), null)).toMatchObject({ losses: [loss], others: "unknown" });
  expect(shownLosses(crd(dryRun(unknown, "the spec changed")), null)).toEqual({
    losses: [],
    more: 0,
    sample: null,
    dryRun: null,
    others: "untried",
  });
});

test("a refused start forgets neither the losses nor that others are unknown", () => {
  const tried = crd(dryRun({ ...unknown, losses: [loss], moreLosses: 2 }));
  const both = refused({ losses: [loss], dryRun: "newer", unknownBecause: "Why." });
  expect(shownLosses(crd(null), both)).toEqual({ losses: [loss], more: 0, sample: null, dryRun: "newer", others: "unknown" });
  const others = refused({ losses: [], dryRun: "tried", unknownBecause: "Why." });
  expect(shownLosses(tried, others)).toEqual({ losses: [loss], more: 2, sample: null, dryRun: "tried", others: "held-back" });
  expect(shownLosses(tried, refused({ losses: [loss], dryRun: "tried" }))).toMatchObject({ others: "none" });
  expect(shownLosses(tried, refused({ losses: [loss], moreLosses: 260, dryRun: "newer" }))).toMatchObject({ more: 260, others: "none" });
  expect(shownLosses(tried, refused({ losses: [], dryRun: "newer", unknownBecause: "Why." }))).toMatchObject({
    losses: [],
    dryRun: "newer",
  });
});

// Without sample (shown-losses.ts) the form asks to accept losses in 5 objects that all 100 have.
test("the form shows what was checked, if the dry run left out objects", () => {
  const sample = { checked: 5, total: 100 };
  expect(shownLosses(crd(dryRun({ ...sample, losses: [loss] })), null)).toMatchObject({ sample });
  expect(shownLosses(crd(null), refused({ losses: [loss], dryRun: "newer", sample }))).toMatchObject({ sample });
});

test("losses that were unknown for a reason that may have passed hold nothing back in the form", () => {
  const temporary = dryRun({ ...unknown, unknownMayPass: true });
  expect(shownLosses(crd(temporary), null)).toMatchObject({ dryRun: "tried", others: "temporary" });
  expect(withheldBecause(shownLosses(crd(temporary), null), noOptions)).toBeNull();
});

// Without leftForUnknownLosses (shown-losses.ts) the page says to accept losses unseen, and has nothing to do so with.
test("after a rewrite that left objects alone whose losses /status doesn't tell, losses can be accepted unseen", () => {
  const rejection = (reason: string, message: string) =>
    sampleRun({ phase: "unproven", rejections: [{ reason, message, count: 1, examples: [] }] });
  const denied = rejection("Invalid", `Too big. Through /status: ${UNKNOWN_THROUGH_STATUS}`);
  for (const run of [denied, rejection("LossUnknown", "The object kept changing, so its losses are unknown.")]) {
    expect(shownLosses(crd(dryRun(), run), null).others).toBe("offered");
    expect(shownLosses(crd(dryRun({ losses: [loss] }), run), null).others).toBe("offered");
    expect(shownLosses(crd(null, run), null).others).toBe("offered");
  }
  expect(shownLosses(crd(dryRun(), rejection("Invalid", "Too big.")), null).others).toBe("none");
});

test("after a rewrite that was held back for another reason, losses can be accepted unseen", () => {
  expect(shownLosses(crd(null, heldBack), null).others).toBe("offered");
  expect(shownLosses(crd(dryRun(), heldBack), null).others).toBe("offered");
  expect(shownLosses(crd(dryRun({ losses: [loss] }), heldBack), null).others).toBe("none");
});
