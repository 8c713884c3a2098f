import { describe, expect, it } from "vitest";
import type { Loss, LossKind } from "#lib/domain/losses.ts";
import { noOptions, startBody, withheldBecause } from "./rewrite-options.ts";

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
  it("lets accepted losses pass", () => expect(withheldBecause([loss("changed")], true, { ...noOptions, acceptLosses: true })).toBeNull());
  it("holds back what no dry run could tell until it is accepted unseen", () => {
    expect(withheldBecause([], false, noOptions)).toMatch(/not known/);
    expect(withheldBecause([], false, { ...noOptions, acceptLosses: true })).toBeNull();
  });
  it("says what a limit must be", () =>
    expect(withheldBecause([], true, { ...noOptions, maxPerSecond: "fast" })).toMatch(/from 1 to 100,000/));
});

describe("startBody", () => {
  it("sends nothing that was not chosen", () => expect(startBody(noOptions, null)).toEqual({}));
  it("sends all that was", () =>
    expect(
      startBody({ acceptLosses: true, keepOwnership: true, throughStatus: true, maxPerSecond: "1,200", verifyEveryObject: true }, null),
    ).toEqual({ acceptLosses: true, keepOwnership: true, throughStatus: true, maxPerSecond: 1_200, verify: "every-object" }));
});
