import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { exactText, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { isVersionSpec, type VersionSpec } from "#lib/domain/versions/version-spec.ts";
import { removedSpecOf, removedVersionsOf, withoutRemovedVersion, withRemovedVersion } from "./removed-version.ts";

const removed = { version: "v1beta1", removedAt: "2026-01-02T12:00:00.000Z", by: "alice" };
const later = { version: "v1alpha1", removedAt: "2026-01-02T13:00:00.000Z", by: null };
const spec = specOf('{"name":"v1beta1","schema":{"openAPIV3Schema":{"type":"integer","maximum":9223372036854775807,"minimum":1.0}}}');
const other = specOf('{"name":"v1alpha1","schema":{}}');

const kept = withRemovedVersion(undefined, removed, spec) ?? "";
const both = withRemovedVersion(kept, later, other) ?? "";
const namesIn = (annotation: string | null) => removedVersionsOf(annotation ?? undefined).map(({ version }) => version);

describe("versions that are kept for their undo", () => {
  test("are told newest first, and each comes back exactly as it was", () => {
    expect(removedVersionsOf(both)).toEqual([later, removed]);
    expect(exactText(removedSpecOf(both, "v1beta1") ?? {})).toBe(exactText(spec));
    expect(removedSpecOf(both, "v1alpha1")).toEqual(other);
    expect(removedSpecOf(both, "v1")).toBeNull();
    expect(removedVersionsOf(undefined)).toEqual([]);
  });

  // Without hasFlags (isVersionSpec) a definition from before apiextensions.k8s.io/v1 loses it.
  test("need no schema, if they have what every version has", () => {
    const bare = specOf('{"name":"v1beta1","served":false,"storage":false}');
    expect(removedSpecOf(withRemovedVersion(undefined, removed, bare) ?? "", "v1beta1")).toEqual(bare);
  });

  test("leave one by one", () => {
    expect(withoutRemovedVersion(both, "v1beta1")).toBe(withRemovedVersion(undefined, later, other));
    expect(namesIn(withoutRemovedVersion(both, "v1"))).toEqual(["v1alpha1", "v1beta1"]);
    expect(withoutRemovedVersion(kept, "v1beta1")).toBeNull();
  });

  test("are read where there is but one, in the form that knew no list", () => {
    const [entry] = JSON.parse(kept);
    const single = JSON.stringify(entry);
    expect(removedVersionsOf(single)).toEqual([removed]);
    expect(namesIn(withRemovedVersion(single, later, other))).toEqual(["v1alpha1", "v1beta1"]);
  });

  test("make room for the newest: the oldest go", () => {
    const names = ["v1alpha1", "v1alpha2", "v1beta1"];
    const keep = (before: string | undefined, version: string) =>
      withRemovedVersion(before, { ...later, version }, noisy(version, 2_300)) ?? undefined;
    expect(namesIn(names.reduce(keep, undefined) ?? null)).toEqual(["v1beta1", "v1alpha2"]);
  });

  test("stay where the newest is too large by itself, but for an earlier one of its name", () => {
    expect(namesIn(withRemovedVersion(kept, later, noisy("v1alpha1", 20_000)))).toEqual(["v1beta1"]);
    expect(namesIn(withRemovedVersion(both, removed, noisy("v1beta1", 20_000)))).toEqual(["v1alpha1"]);
    expect(withRemovedVersion(kept, removed, noisy("v1beta1", 20_000))).toBeNull();
    // Of the 256 KiB that all annotations share: longer, the removal itself is refused.
    expect(namesIn(withRemovedVersion(kept, later, other, both.length - 1))).toEqual(["v1alpha1"]);
    expect(withRemovedVersion(kept, later, other, 10)).toBeNull();
  });

  test("of one name come back newest first", () => {
    const again = { ...spec, served: false };
    const twice = withRemovedVersion(both, { ...removed, removedAt: "2026-01-02T14:00:00.000Z" }, again) ?? "";
    expect(namesIn(twice)).toEqual(["v1beta1", "v1alpha1", "v1beta1"]);
    expect(removedSpecOf(twice, "v1beta1")).toEqual(again);
    expect(withoutRemovedVersion(twice, "v1beta1")).toBe(both);
    expect(namesIn(withRemovedVersion(both, removed, spec))).toEqual(["v1beta1", "v1alpha1"]);
  });
});

describe("what somebody else wrote", () => {
  const forged = (json: string, changes: object = {}) => ({ ...removed, gzip: gzipSync(json).toString("base64"), ...changes });
  const plain = '{"name":"v1beta1","schema":{}}';

  test.each([
    ["no JSON", "{"],
    ["null", "null"],
    ["no base64", JSON.stringify(forged(plain, { gzip: "<b>" }))],
    ["no gzip", JSON.stringify(forged(plain, { gzip: "aGVsbG8=" }))],
    ["another version's", JSON.stringify(forged('{"name":"v1","schema":{}}'))],
    ["no version at all", JSON.stringify(forged('"v1beta1"'))],
    ["a version without a schema", JSON.stringify(forged('{"name":"v1beta1"}'))],
    ["a bomb", JSON.stringify(forged(`{"name":"v1beta1","schema":{}${" ".repeat(4 * 1024 * 1024)}}`))],
    ["nested too deep", JSON.stringify(forged(`{"name":"v1beta1","schema":{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}}`))],
    ["larger than what crdshift writes", JSON.stringify(forged(plain, { more: "x".repeat(65 * 1024) }))],
    ["no name of a version", JSON.stringify(forged('{"name":"v1 <b>","schema":{}}', { version: "v1 <b>" }))],
    ["a name that is too long", JSON.stringify(forged(`{"name":"${"v".repeat(64)}","schema":{}}`, { version: "v".repeat(64) }))],
    ["no time", JSON.stringify(forged(plain, { removedAt: "yesterday" }))],
    ["a time that lies ahead", JSON.stringify(forged(plain, { removedAt: new Date(Date.now() + 25 * 3_600_000).toISOString() }))],
  ])("counts as none when it is %s", (_, annotation) => {
    expect(removedVersionsOf(annotation)).toEqual([]);
    expect(removedSpecOf(annotation, "v1beta1")).toBeNull();
  });

  test("does not take along what stands beside it", () => {
    expect(removedVersionsOf(JSON.stringify([null, forged("no JSON"), forged(plain)]))).toEqual([removed]);
  });

  test("is read up to four mebibytes in all", () => {
    const large = (version: string) => forged(`{"name":"${version}","schema":{}${" ".repeat(1.5 * 1024 * 1024)}}`, { version });
    expect(namesIn(JSON.stringify(["v1", "v2", "v3", "v4"].map(large)))).toEqual(["v1", "v2"]);
  });

  test.each([
    ["on one line, in one direction", "a\n\u0000\u202eb", "a\uFFFD\uFFFD\uFFFDb"],
    ["no longer than a name", "x".repeat(257), null],
  ])("names who it was %s", (_, by, shown) => {
    expect(removedVersionsOf(JSON.stringify(forged(plain, { by })))).toEqual([{ ...removed, by: shown }]);
  });
});

/** A version that hardly gets smaller when it is compressed. */
function noisy(name: string, length: number): VersionSpec {
  const noise = Array.from({ length }, (_, index) => Math.sin(index + name.length).toString(36)).join("");
  return { name, schema: { noise } };
}

function specOf(json: string): VersionSpec {
  const parsed = parseExactJson(json);
  if (!isVersionSpec(parsed)) throw new Error("The test's version is none.");
  return parsed;
}
