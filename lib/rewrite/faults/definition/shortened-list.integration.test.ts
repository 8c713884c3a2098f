import { expect } from "vitest";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import type { DefinitionJson } from "#lib/local-cluster/sample-definition.ts";
import { faultTest, past, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { readRecord, recordIn } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

/** Fewer than a run patches at once. */
const OBJECTS = 3;

// With the list as it was at the run's start (isExpected in withdraw-evidence.ts) a kill -9 would leave "current" and no doubt.
faultTest("objects that a run changes once another client has shortened storedVersions leave a doubt at once", async (bench) => {
  const { api, connection, proxy, storedAs } = bench;
  const definition = await bench.stale(OBJECTS);
  const patches = proxy.hold(patchOf(definition), "after", Number.POSITIVE_INFINITY);
  const { id } = await bench.start(definition, { acceptUnseen: true });
  await expect.poll(() => storedAs(definition)).toEqual({ v1: OBJECTS });
  await api.mergePatch(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}/status`, {
    status: { storedVersions: ["v1"] },
  });
  await expect.poll(() => fleetOf(connection).crd(definition.name)?.storedVersions).toEqual(["v1"]);
  patches.release();
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS } });
  const values = (await bench.changes()).filter(
    ({ key, text }) => text !== null && key.endsWith(`customresourcedefinitions/${definition.name}`),
  );
  const records = values.map(({ text }) => recordIn(JSON.parse(text ?? "") as DefinitionJson));
  expect(records).toContainEqual(
    expect.objectContaining({ doubt: { rejected: 0 }, runs: [expect.objectContaining({ id, endedAt: null })] }),
  );
  expect(records.at(-1)).toMatchObject({ doubt: null, proof: { runId: id } });
});

// Without the reading of what else changed (confirmDefinition) or doubtOnceUnexpected (withdraw-evidence.ts) a kill -9 would leave
// "current".
faultTest("the same while the watch of definitions hangs, and although nothing is found any more", async (bench) => {
  const { api, proxy, storedAs } = bench;
  proxy.inject(({ path }) => path.startsWith("/apis/apiextensions.k8s.io/") && path.includes("watch=1"), { kind: "hang" });
  const definition = await bench.stale(OBJECTS + 1);
  const last = proxy.hold(past(OBJECTS, patchOf(definition)), "after", Number.POSITIVE_INFINITY);
  const { id } = await bench.start(definition, { acceptUnseen: true });
  await bench.rewritten(definition, id, OBJECTS);
  await expect.poll(() => storedAs(definition)).toEqual({ v1: OBJECTS + 1 });
  await api.mergePatch(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}/status`, {
    status: { storedVersions: ["v1"] },
  });
  await expect.poll(async () => (await readRecord(definition)).doubt, { timeout: 10_000 }).toEqual({ rejected: 0 });
  last.release();
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS + 1 } });
  expect(await readRecord(definition)).toMatchObject({ doubt: null, proof: { runId: id } });
});
