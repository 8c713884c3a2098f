import { describe, expect, it } from "vitest";
import type { Loss, LossKind } from "#lib/domain/losses/losses.ts";
import { noOptions, offeredOptions, startBody, withheldBecause } from "./rewrite-options.ts";

const loss = (kind: LossKind): Loss => ({ kind, path: "spec.a", objects: 3, examples: [] });

describe("withheldBecause", () => {
  it("lets a rewrite without losses start", () => expect(withheldBecause([], true, noOptions)).toBeNull());
  it("holds nothing back for a default", () => expect(withheldBecause([loss("defaulted")], true, noOptions)).toBeNull());
  it("asks to accept what is dropped, whatever happens to ownership", () =>
    expect(withheldBecause([loss("dropped"), loss("managed-fields")], true, { ...noOptions, keepOwnership: true })).toMatch(
      /^Accept the losses/,
    ));
  it("takes kept ownership for an answer where only that would be lost", () => {
    expect(withheldBecause([loss("managed-fields")], true, noOptions)).toMatch(/^Keep ownership/);
    expect(withheldBecause([loss("managed-fields")], true, { ...noOptions, keepOwnership: true })).toBeNull();
  });
  it("does not take kept ownership for an answer where the cluster's own engine can't keep it", () =>
    expect(
      withheldBecause([loss("managed-fields")], true, offeredOptions({ ...noOptions, engine: "in-tree", keepOwnership: true })),
    ).toMatch(/^Accept the losses/));
  it("lets accepted losses pass", () => expect(withheldBecause([loss("changed")], true, { ...noOptions, acceptLosses: true })).toBeNull());
  it("holds back what no dry run could tell until it is accepted unseen", () => {
    expect(withheldBecause([], false, noOptions)).toMatch(/not known/);
    expect(withheldBecause([], false, { ...noOptions, acceptLosses: true })).toBeNull();
  });
  it("says what a limit must be", () =>
    expect(withheldBecause([], true, { ...noOptions, maxPerSecond: "fast" })).toMatch(/from 1 to 100,000/));
});

const everything = { acceptLosses: true, keepOwnership: true, throughStatus: true, maxPerSecond: "1,200", verifyEveryObject: true };

describe("startBody", () => {
  it("sends the cluster's own engine nothing that it does not have", () =>
    expect(startBody(offeredOptions({ ...noOptions, ...everything, engine: "in-tree" }), null)).toEqual({
      engine: "in-tree",
      acceptLosses: true,
      verify: "every-object",
    }));
  it("sends nothing that was not chosen", () => expect(startBody(noOptions, null)).toEqual({}));
  it("sends all that was", () =>
    expect(startBody({ ...noOptions, ...everything }, null)).toEqual({
      acceptLosses: true,
      keepOwnership: true,
      throughStatus: true,
      maxPerSecond: 1_200,
      verify: "every-object",
    }));
});
