import { expect, test, vi } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { lintConversion } from "#lib/domain/conversion/conversion-lint.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { readConversion } from "./read-conversion.ts";

vi.mock("#lib/domain/conversion/conversion-lint.ts", { spy: true });

/** Reads the conversion of versions of these schemas, with such stored ones. */
async function readHostile(name: string, schemas: object[], storedVersions: string[]) {
  const versions = schemas.map((schema, index) => ({
    ...{ name: `v${index + 1}`, served: true, storage: index === 0 },
    schema: { openAPIV3Schema: { type: "object", ...schema } },
  }));
  const definition = { metadata: { name: "things.example.com", resourceVersion: "1" }, spec: { versions }, status: { storedVersions } };
  const connection = await connectionTo(name, (_, response) => response.end(JSON.stringify(definition)));
  return whileWatched(() => readConversion(connection, "things.example.com", AbortSignal.timeout(60_000)));
}

// Without conversionPairs' and differencesOf's look-ups (conversion-lint.ts, read-conversion.ts), it took 5 s. A real API server needs a
// minute to take such a definition.
test("the conversion of thousands of versions holds nobody up", async () => {
  const { longest, result } = await readHostile("hostile versions", Array(4_000).fill({}), ["v1"]);
  expect(result.pairs).toBe(7_998);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// Without MOST_PAIRS (conversion-lint.ts) there are a million pairs, and each is compared.
test.each([0, 50])("a thousand versions that are all stored, with %i fields each, hold nobody up, and all pairs count", async (fields) => {
  const names = Array.from({ length: 1_000 }, (_, index) => `v${index + 1}`);
  const propertiesOf = (name: string) => Object.fromEntries(Array.from({ length: fields }, (_, index) => [`${name}-${index}`, {}]));
  const schemas = names.map((name) => ({ properties: propertiesOf(name) }));
  const { longest, result } = await readHostile("hostile stored versions", schemas, names);
  expect([result.pairs, result.differencesComplete]).toEqual([999_000, false]);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// Without its own price for each (add in schema-difference.ts) a field that the other schema lacks is free: 20 s.
test("the conversion from one version of thousands of fields to a thousand without any holds nobody up", async () => {
  const properties = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`f${index}`, {}]));
  const { longest, result } = await readHostile("hostile fields", [{ properties }, ...Array(1_000).fill({})], ["v1"]);
  expect([result.pairs, result.differencesComplete]).toEqual([2_000, false]);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

const allOf = (schemas: object[]) => schemas.map((_, index) => `v${index + 1}`);
const object = (properties: object) => ({ type: "object", properties });
const fieldsOf = (version: number, prefix = "") =>
  object(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${prefix}v${version}f${index}`, { type: "string" }])));

// Without a path's own text (schema-difference.ts) and the limits of stepText (field-path.ts) and of listed pairs (read-conversion.ts), each
// of the keys around 50 fields is written for each of them and each pair, in one turn: from ten seconds to minutes.
test.each([
  ["30 versions with a key of 4,000 characters that can't be seen", 30, "\u007f".repeat(4_000)],
  ["60 versions with a key of 20,000 letters", 60, "a".repeat(20_000)],
])("%s that are all stored hold nobody up, and all pairs are compared", async (_, count, key) => {
  const schemas = Array.from({ length: count }, (_, version) => object({ [key]: fieldsOf(version) }));
  const { longest, result } = await readHostile("hostile keys", schemas, allOf(schemas));
  const pairs = count * (count - 1);
  expect(result).toMatchObject({ pairs, moreDifferences: pairs - 50, differencesComplete: true });
  expect(result.differences).toHaveLength(50);
  for (const { fields } of result.differences) expect(new Set(fields).size).toBe(50);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// Without mostFields (read-conversion.ts) fifty paths of each pair were kept until all were compared: two hundred megabytes.
test("of versions with fields of 400 characters, the paths of fifty pairs are kept", async () => {
  const schemas = Array.from({ length: 45 }, (_, version) => fieldsOf(version, "a".repeat(400)));
  const { result } = await readHostile("hostile names", schemas, allOf(schemas));
  expect(result).toMatchObject({ moreDifferences: 45 * 44 - 50, differencesComplete: true });
  const kept = vi.mocked(lintConversion).mock.lastCall?.[0].differences ?? [];
  expect(kept).toHaveLength(45 * 44);
  expect(kept.flatMap(({ fields }) => fields)).toHaveLength(50 * 50);
});
