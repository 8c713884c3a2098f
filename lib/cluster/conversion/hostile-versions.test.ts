import { expect, test } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { readConversion } from "./read-conversion.ts";

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
