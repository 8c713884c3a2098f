import { describe, expect, it } from "vitest";
import type { Loss, LossKind } from "#lib/domain/losses/losses.ts";
import { noOptions, offeredOptions, startBody, withheldBecause } from "./rewrite-options.ts";

const loss = (kind: LossKind): Loss => ({ kind, path: "spec.a", objects: 3, examples: [] });

describe("withheldBecause", () => {
  it("lets a rewrite without losses start", () => expect(withheldBecause([], true, noOptions)).toBeNull());
  it("holds nothing back for an added default", () => expect(withheldBecause([loss("defaulted")], true, noOptions)).toBeNull());
  it("asks to accept dropped fields, with or without kept ownership", () =>
    expect(withheldBecause([loss("dropped"), loss("managed-fields")], true, { ...noOptions, keepOwnership: true })).toMatch(
      /^Accept the losses/,
    ));
  it("accepts kept ownership if only ownership would be lost", () => {
    expect(withheldBecause([loss("managed-fields")], true, noOptions)).toMatch(/^Keep ownership/);
    expect(withheldBecause([loss("managed-fields")], true, { ...noOptions, keepOwnership: true })).toBeNull();
  });
  it("does not accept kept ownership with the cluster's own engine, which can't keep it", () =>
    expect(
      withheldBecause([loss("managed-fields")], true, offeredOptions({ ...noOptions, engine: "in-tree", keepOwnership: true })),
    ).toMatch(/^Accept the losses/));
  it("lets a rewrite with accepted losses start", () =>
    expect(withheldBecause([loss("changed")], true, { ...noOptions, acceptLosses: true })).toBeNull());
  it("holds back unknown losses until they are accepted unseen", () => {
    expect(withheldBecause([], false, noOptions)).toMatch(/unknown/);
    expect(withheldBecause([], false, { ...noOptions, acceptLosses: true })).toBeNull();
  });
  it("explains an invalid limit", () =>
    expect(withheldBecause([], true, { ...noOptions, maxPerSecond: "fast" })).toMatch(/from 1 to 100,000/));
});

const everything = { acceptLosses: true, keepOwnership: true, throughStatus: true, maxPerSecond: "1,200", verifyEveryObject: true };

describe("startBody", () => {
  it("leaves out options that the cluster's own engine does not have", () =>
    expect(startBody(offeredOptions({ ...noOptions, ...everything, engine: "in-tree" }), null)).toEqual({
      engine: "in-tree",
      acceptLosses: true,
      verify: "every-object",
    }));
  it("leaves out options that are not selected", () => expect(startBody(noOptions, null)).toEqual({}));
  it("sends every selected option", () =>
    expect(startBody({ ...noOptions, ...everything }, null)).toEqual({
      acceptLosses: true,
      keepOwnership: true,
      throughStatus: true,
      maxPerSecond: 1_200,
      verify: "every-object",
    }));
});
