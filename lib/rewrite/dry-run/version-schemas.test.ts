import { expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { knownSchemas, knownVersionsToTry } from "./version-schemas.ts";

// Without Known.versionsToTry (version-schemas.ts) they are found for each object that is checked before its write: 17 ms each.
test("the versions at which objects are tried are found once for a definition", async () => {
  const versionOf = (index: number) => ({
    ...{ name: `v${index + 1}`, served: true, storage: index === 0 },
    schema: { openAPIV3Schema: { type: "object", properties: { [`field${index}`]: { description: "a".repeat(1_000) } } } },
  });
  const definition = {
    metadata: { name: "things.example.com", uid: "u", generation: 1, resourceVersion: "1" },
    spec: { versions: Array.from({ length: 1_000 }, (_, index) => versionOf(index)) },
    status: { storedVersions: ["v1"] },
  };
  const connection = await connectionTo("versions to try", (_, response) => response.end(JSON.stringify(definition)));
  const signal = AbortSignal.timeout(60_000);
  const { crd } = await readCrd(connection, "things.example.com", signal);
  const versions = await knownVersionsToTry({ connection, crd, signal });
  expect(versions).toHaveLength(999);
  expect(await knownVersionsToTry({ connection, crd, signal })).toBe(versions);
});

// Without the map of all (version-schemas.ts, readDefinition) each was looked up in the list of all: seconds.
test("the schemas of 8,000 versions are found in no time", async () => {
  const versions = Array.from({ length: 8_000 }, (_, index) => ({
    ...{ name: `v${index + 1}`, served: true, storage: index === 0 },
    schema: { openAPIV3Schema: { type: "object" } },
  }));
  const definition = {
    metadata: { name: "things.example.com", uid: "u", generation: 1, resourceVersion: "1" },
    ...{ spec: { versions }, status: { storedVersions: ["v1"] } },
  };
  const connection = await connectionTo("many versions", (_, response) => response.end(JSON.stringify(definition)));
  const signal = AbortSignal.timeout(60_000);
  const { crd } = await readCrd(connection, "things.example.com", signal);
  const { longest, result } = await whileWatched(async () => {
    const schemaOf = await knownSchemas({ connection, crd: { ...crd }, signal });
    return versions.filter(({ name }) => schemaOf(name) !== undefined);
  });
  expect(result).toHaveLength(8_000);
  expect(longest).toBeLessThan(LONGEST_TURN);
});
