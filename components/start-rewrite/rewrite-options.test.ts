import { describe, expect, it } from "vitest";
import type { Loss, LossKind } from "#lib/domain/losses/losses.ts";
import { noOptions, offeredOptions, startBody, withheldBecause } from "./rewrite-options.ts";
import type { ShownLosses } from "./shown-losses.ts";

const loss = (kind: LossKind): Loss => ({ kind, path: "spec.a", objects: 3, examples: [] });
const shown = (kinds: LossKind[], others: ShownLosses["others"] = "none"): ShownLosses => ({
  ...{ losses: kinds.map(loss), more: 0, sample: null, dryRun: "tried", others },
});

describe("withheldBecause", () => {
  it("lets a rewrite without losses start", () => expect(withheldBecause(shown([]), noOptions)).toBeNull());
  it("holds nothing back for an added default", () => expect(withheldBecause(shown(["defaulted"]), noOptions)).toBeNull());
  it("asks to accept dropped fields, with or without kept ownership", () =>
    expect(withheldBecause(shown(["dropped", "managed-fields"]), { ...noOptions, keepOwnership: true })).toMatch(/^Accept the losses/));
  it("accepts kept ownership if only ownership would be lost", () => {
    expect(withheldBecause(shown(["managed-fields"]), noOptions)).toMatch(/^Keep ownership/);
    expect(withheldBecause(shown(["managed-fields"]), { ...noOptions, keepOwnership: true })).toBeNull();
  });
  it("does not accept kept ownership with the cluster's own engine, which can't keep it", () =>
    expect(withheldBecause(shown(["managed-fields"]), offeredOptions({ ...noOptions, engine: "in-tree", keepOwnership: true }))).toMatch(
      /^Accept the losses/,
    ));
  it("lets a rewrite with accepted losses start", () =>
    expect(withheldBecause(shown(["changed"]), { ...noOptions, acceptLosses: true })).toBeNull());
  it("explains an invalid limit", () =>
    expect(withheldBecause(shown([]), { ...noOptions, maxPerSecond: "fast" })).toMatch(/from 1 to 100,000/));
});

describe("unknown losses", () => {
  const listed = { ...noOptions, acceptLosses: true };
  const unseen = { ...noOptions, acceptUnseen: true };
  it("are held back until they are accepted unseen, by no other word", () => {
    expect(withheldBecause(shown([], "unknown"), noOptions)).toMatch(/^What would be lost is unknown/);
    expect(withheldBecause(shown([], "unknown"), listed)).toMatch(/^What would be lost is unknown/);
    expect(withheldBecause(shown([], "unknown"), unseen)).toBeNull();
  });
  it("beside listed ones need no acceptance, because crdshift then checks each object", () => {
    expect(withheldBecause(shown(["dropped"], "unknown"), listed)).toBeNull();
    expect(withheldBecause(shown(["dropped"], "unknown"), { ...listed, engine: "in-tree" })).toMatch(/^What else would be lost is unknown/);
  });
  it("that a start was refused for need it", () => {
    expect(withheldBecause(shown(["dropped"], "held-back"), listed)).toMatch(/^What else would be lost is unknown/);
    expect(withheldBecause(shown(["dropped"], "held-back"), { ...listed, acceptUnseen: true })).toBeNull();
  });
  it("don't stand for the listed ones", () => expect(withheldBecause(shown(["dropped"], "unknown"), unseen)).toMatch(/^Accept the losses/));
  it("of a rewrite without a dry run, or one that is only offered to go unseen, hold nothing back", () => {
    expect(withheldBecause(shown([], "untried"), noOptions)).toBeNull();
    expect(withheldBecause(shown([], "offered"), noOptions)).toBeNull();
  });
});

const everything = {
  ...{ acceptLosses: true, acceptUnseen: true, keepOwnership: true, throughStatus: true, maxPerSecond: "1,200", verifyEveryObject: true },
};

describe("startBody", () => {
  it("leaves out options that the cluster's own engine does not have", () =>
    expect(startBody(offeredOptions({ ...noOptions, ...everything, engine: "in-tree" }), null)).toEqual({
      engine: "in-tree",
      acceptLosses: true,
      acceptUnseen: true,
      verify: "every-object",
    }));
  it("names the dry run of what was accepted, listed or not", () => {
    expect(startBody({ ...noOptions, acceptLosses: true }, "tried")).toEqual({ acceptLosses: true, dryRun: "tried" });
    expect(startBody({ ...noOptions, acceptUnseen: true }, "tried")).toEqual({ acceptUnseen: true, dryRun: "tried" });
    expect(startBody(noOptions, "tried")).toEqual({});
  });
  it("leaves out options that are not selected", () => expect(startBody(noOptions, null)).toEqual({}));
  it("sends every selected option", () =>
    expect(startBody({ ...noOptions, ...everything }, null)).toEqual({
      acceptLosses: true,
      acceptUnseen: true,
      keepOwnership: true,
      throughStatus: true,
      maxPerSecond: 1_200,
      verify: "every-object",
    }));
});
