import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ExactJson, exactProperty, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { applyAtOtherVersion, carryOver, isUpdateOf, managedFieldsEntries, managedFieldsOf, withoutFirstApply } from "./managed-fields.ts";

const entry = (manager: string, version: string, fieldsV1: ExactJson, more: { [key: string]: ExactJson } = {}): ExactJson => ({
  ...{ manager, operation: "Update", apiVersion: `a.b/${version}`, fieldsType: "FieldsV1", fieldsV1, ...more },
});
const toV1 = (entries: readonly ExactJson[]) => carryOver(entries, (version) => version === "v1beta1", { apiVersion: "a.b/v1" });

/** Every field of a set; a field that is owned itself beside its inner ones counts, too. */
function owned(set: ExactJson | undefined, path = ""): string[] {
  if (!isExactObject(set)) return [];
  const keys = Object.keys(set);
  if (keys.length === 0) return path ? [path] : [];
  return keys.flatMap((key) => (key === "." ? [path] : owned(exactProperty(set, key), `${path}/${key}`)));
}

/** Who owns which fields, versions left out. */
function ownership(entries: readonly ExactJson[]): string[] {
  const all = entries.flatMap((one) => {
    const who = ["manager", "operation", "subresource"].map((property) => exactProperty(one, property) ?? "").join(" ");
    return owned(exactProperty(one, "fieldsV1")).map((path) => `${who} ${path}`);
  });
  return [...new Set(all)].sort();
}

const fieldSet = fc.letrec<{ inner: ExactJson }>((tie) => ({
  inner: fc.oneof(
    { maxDepth: 3 },
    fc.constant<ExactJson>({}),
    fc.dictionary(fc.constantFrom("f:a", "f:b", 'k:{"name":"x"}', "."), tie("inner"), { maxKeys: 3 }).map(
      // "." is a mark, not a field with fields of its own.
      (set): ExactJson => ("." in set ? { ...set, ".": {} } : set),
    ),
  ),
})).inner;
const managedFields = fc.array(
  fc
    .record({
      manager: fc.constantFrom("kubectl", "controller"),
      operation: fc.constantFrom("Apply", "Update"),
      version: fc.constantFrom("v1", "v1beta1", "v1alpha1"),
      subresource: fc.constantFrom("", "status"),
      time: fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
      spec: fieldSet,
    })
    .map(({ manager, operation, version, subresource, time, spec }) =>
      entry(manager, version, { "f:spec": spec }, { operation, time, ...(subresource && { subresource }) }),
    ),
  { maxLength: 8 },
);

describe("carrying entries over", () => {
  // Kept as it was, such an entry named a field that no schema has, which held each later rewrite back.
  test("leaves out an entry whose fields the schema prunes, unless no other is left", () => {
    const schema: ExactJson = { type: "object", properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } };
    const toKnown = (entries: readonly ExactJson[]) =>
      carryOver(entries, (version) => version === "v1beta1", { apiVersion: "a.b/v1", schema });
    const noter = entry("noter", "v1beta1", { "f:spec": { "f:note": {} } });
    const owner = entry("owner", "v1beta1", { "f:spec": { "f:size": {}, "f:note": {} } });
    expect(toKnown([noter, owner])).toEqual([entry("owner", "v1", { "f:spec": { "f:size": {} } })]);
    expect(toKnown([noter])).toEqual([entry("noter", "v1", { "f:spec": { "f:note": {} } })]);
  });

  test("relabels the chosen versions' entries and leaves the others byte for byte", () => {
    const other = entry("c", "v1alpha1", { "f:spec": {} }, { time: "t", odd: [1 as never] });
    expect(toV1([entry("a", "v1beta1", { "f:spec": { "f:x": {} } }, { time: "t" }), other])).toEqual([
      entry("a", "v1", { "f:spec": { "f:x": {} } }, { time: "t" }),
      other,
    ]);
  });

  test("joins what one manager has at both versions, and keeps the newer time", () => {
    const old = entry("a", "v1beta1", { "f:spec": { "f:x": {}, "f:y": { "f:z": {} } } }, { time: "2026-01-02T00:00:00Z" });
    const current = entry("a", "v1", { "f:spec": { "f:y": { "f:w": {} } } }, { time: "2026-01-01T00:00:00Z" });
    const joined = entry("a", "v1", { "f:spec": { "f:x": {}, "f:y": { "f:z": {}, "f:w": {} } } }, { time: "2026-01-02T00:00:00Z" });
    expect(ownership(toV1([old, current]))).toEqual(ownership([joined]));
    for (const entries of [toV1([old, current]), toV1([current, old])]) {
      expect(entries).toHaveLength(1);
      expect(exactProperty(entries[0], "time")).toBe("2026-01-02T00:00:00Z");
    }
  });

  test("keeps a field that is owned itself in one entry and with inner fields in the other", () => {
    const [whole, inner] = [{ "f:labels": {} }, { "f:labels": { "f:a": {} } }];
    for (const [one, other] of [
      [whole, inner],
      [inner, whole],
    ] as const) {
      const [joined] = toV1([entry("a", "v1beta1", one), entry("a", "v1", other)]);
      expect(exactProperty(joined, "fieldsV1")).toEqual({ "f:labels": { ".": {}, "f:a": {} } });
    }
  });

  // Joined one by one (joinEntries in managed-fields.ts), all that was joined before was copied for each: 9 s.
  test("of thousands of versions that one manager wrote at holds nobody up", async () => {
    const many = Array.from({ length: 5_000 }, (_, index) =>
      entry("a", `v${index + 2}`, { [`f:x${index}`]: {} }, { time: `${index % 7}` }),
    );
    const { longest, result } = await whileWatched(async () => carryOver(many, () => true, { apiVersion: "a.b/v1" }));
    expect(result).toHaveLength(1);
    expect([ownership(result).length, exactProperty(result[0], "time")]).toEqual([5_000, "6"]);
    expect(longest).toBeLessThan(LONGEST_TURN);
  });

  test("does not join entries of another operation or subresource", () => {
    const entries = [
      entry("a", "v1beta1", { "f:x": {} }),
      entry("a", "v1", { "f:x": {} }, { operation: "Apply" }),
      entry("a", "v1", { "f:x": {} }, { subresource: "status" }),
    ];
    expect(toV1(entries)).toHaveLength(3);
  });

  test("loses and adds no field of anybody", () => {
    fc.assert(
      fc.property(managedFields, (entries) => void expect(ownership(toV1(entries))).toEqual(ownership(entries))),
      { numRuns: 500 },
    );
  });

  test("leaves nothing at the old version, one entry a manager, operation, version and subresource, and is done once", () => {
    fc.assert(
      fc.property(managedFields, (entries) => {
        const once = toV1(entries);
        const shown = managedFieldsEntries(once);
        expect(shown.filter(({ version }) => version === "v1beta1")).toEqual([]);
        expect(new Set(shown.map((one) => JSON.stringify(one))).size).toBe(shown.length);
        expect(toV1(once)).toEqual(once);
      }),
      { numRuns: 500 },
    );
  });
});

describe("entries", () => {
  test("are read from an object, odd ones with empty parts", () => {
    const object = { metadata: { managedFields: [entry("a", "v1", {}, { subresource: "status" }), "odd", null, {}] } };
    expect(managedFieldsEntries(managedFieldsOf(object))).toEqual([
      { manager: "a", operation: "Update", version: "v1", subresource: "status" },
      ...Array.from({ length: 3 }, () => ({ manager: "", operation: "", version: "", subresource: "" })),
    ]);
    for (const none of [{}, { metadata: {} }, { metadata: { managedFields: "odd" } }, null]) expect(managedFieldsOf(none)).toEqual([]);
  });

  test("of a manager's updates are taken out, unless there are no others", () => {
    const [mine, theirs, applied] = [
      entry("crdshift", "v1", {}),
      entry("owner", "v1", {}),
      entry("crdshift", "v1", {}, { operation: "Apply" }),
    ];
    expect([theirs, mine, applied].filter((one) => isUpdateOf("crdshift", one))).toEqual([mine]);
  });
});

// What the API server adds before an apply to an object whose entries a failed conversion has emptied would own every field beside its owner.
test("an entry before the first apply is left out, unless the object was listed with one", () => {
  const owner = entry("owner", "v1", { "f:spec": {} });
  const first = entry("before-first-apply", "v1", { "f:spec": {} }, { operation: "Update" });
  expect(withoutFirstApply([owner, first], [owner])).toEqual([owner]);
  expect(withoutFirstApply([owner, first], [first])).toEqual([owner, first]);
});

// With the version in its comparison (applyAtOtherVersion) two entries are sent, of which the API server keeps the last.
test("a manager's applies are the same at another version, unlike its updates and what it does through another subresource", () => {
  const apply = (version: string, more: { [key: string]: ExactJson } = {}) => entry("owner", version, {}, { operation: "Apply", ...more });
  const later = [entry("owner", "v1", {}), apply("v1", { subresource: "status" }), apply("v1")];
  expect(applyAtOtherVersion(apply("v1beta1"), later)).toBe(later[2]);
  expect(applyAtOtherVersion(apply("v1"), later)).toBeUndefined();
  expect(applyAtOtherVersion(entry("owner", "v1beta1", {}), later)).toBeUndefined();
});
