import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import { RECORD_ANNOTATION } from "#lib/domain/record/record-room.ts";
import { REMOVED_ANNOTATION } from "#lib/domain/versions/version-spec.ts";
import { createDefinition } from "#lib/local-cluster/sample-definition.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { listCrds } from "./crds.ts";
import { readVersionYaml } from "./versions/version-yaml.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const { api, connection } = openWorkerCluster();
const soon = () => AbortSignal.timeout(60_000);

/** Definitions with this annotation, and what listing them gives. */
async function listAnnotated(count: number, annotations: (index: number) => Record<string, string>) {
  const names = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const definition = await createDefinition(api, [{ name: "v1", storage: true }]);
      onTestFinished(() => definition.remove());
      await api.mergePatch(`${definitions}/${definition.name}`, { metadata: { annotations: annotations(index) } });
      return definition.name;
    }),
  );
  const on = await connection();
  const { longest, result: pages } = await whileWatched(() => Array.fromAsync(listCrds(on, soon())));
  return { longest, crds: pages.flatMap(({ crds }) => crds).filter(({ name }) => names.includes(name)) };
}

// Without the bound (versions/kept-annotation.ts), each 5 KB unpacked to a million lists, and a page of 50 stopped all answers for 17 s.
test("definitions whose saved versions unpack to a million values hold nobody up, and count as having none", async () => {
  const million = (seed: number) => `{"name":"v1x","schema":{"a":${seed}},"x":[${"[],".repeat(1_390_000)}0]}`;
  const { longest, crds } = await listAnnotated(10, (seed) => ({
    [REMOVED_ANNOTATION]: JSON.stringify([
      { version: "v1x", removedAt: "2026-01-02T12:00:00.000Z", by: null, gzip: gzipSync(million(seed), { level: 9 }).toString("base64") },
    ]),
  }));
  expect(crds.map(({ removedVersions }) => removedVersions)).toEqual(Array(10).fill([]));
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// Without the bound (crd-from-json.ts), each was parsed with a reviver, and 40 of them stopped all answers for 5 s.
test("definitions with 80,000 lists in crdshift's annotation hold nobody up, and their records are unreadable", async () => {
  const text = `{"x":"\\u202e","y":[${"[],".repeat(83_000)}0]}`;
  const { longest, crds } = await listAnnotated(15, () => ({ [RECORD_ANNOTATION]: text }));
  expect(crds.map(({ record }) => record)).toEqual(Array(15).fill("unreadable"));
  expect(longest).toBeLessThan(LONGEST_TURN);
});

/** A definition with one served version. */
async function definitionOf(versions: object[]): Promise<string> {
  const group = `hostile-${crypto.randomUUID().slice(0, 8)}.example.com`;
  const name = `things.${group}`;
  await api.create(definitions, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: { group, scope: "Namespaced", names: { plural: "things", singular: "thing", kind: "Thing" }, versions },
  });
  onTestFinished(async () => void (await api.delete(`${definitions}/${name}`)));
  return name;
}

// Without exactText's single join (exact-json.ts), each of 960 levels copied the megabyte below it, and each request took 1.5 s.
test("the YAML of a schema with a megabyte under 960 levels is refused, while others get their answers", async () => {
  let schema: object = { type: "string", description: "x".repeat(1_000_000) };
  for (let level = 0; level < 480; level += 1) schema = { type: "object", properties: { a: schema } };
  const name = await definitionOf([{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }]);
  const on = await connection();
  const refused = { code: "too_large", message: expect.stringContaining("nested more than 200 levels deep") };
  const { longest } = await whileWatched(() => expect(readVersionYaml(on, name, "v1", soon())).rejects.toMatchObject(refused));
  expect(longest).toBeLessThan(LONGEST_TURN);
});
