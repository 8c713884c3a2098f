import { expect } from "vitest";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import type { SampleDefinition, SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { controlOf } from "#lib/rewrite/run/running.ts";
import { type FaultBench, faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";

const OBJECTS = 160;
const PER_SECOND = 20;
/** How old a confirmation may be, an answer that takes its time, and a busy machine. */
const NOTICED_WITHIN_MS = 2_500;
const CONFIRMED_FOR_MS = 1_000;
const ON_ITS_WAY_MS = 500;
const properties = { size: { type: "integer" } };
/** Only v1 has `note`, and nothing converts. */
const storedAt = (storage: string): SampleVersion[] => [
  { name: "v1", storage: storage === "v1", properties: { ...properties, note: { type: "string" } } },
  { name: "v1beta1", storage: storage === "v1beta1", properties },
];

const isReading: Match = ({ method, path, headers }) =>
  method === "GET" && path.includes("/customresourcedefinitions/") && headers.accept?.includes("PartialObjectMetadata") === true;

// Without keepConfirming (confirm-definition.ts) it writes on until its next renewal, and every note is gone from etcd.
faultTest("a flip back while the watch of definitions hangs: the run stops within a second or two", async (bench) => {
  const { proxy, endOf } = bench;
  const { definition, id } = await underWay(bench);
  await definition.setVersions(storedAt("v1beta1"));
  const flippedAt = performance.now();
  const end = await endOf(definition, id);
  expect(performance.now() - flippedAt).toBeLessThan(NOTICED_WITHIN_MS);
  await expectTold(bench, definition, end);
  expect(proxy.seen.filter(isReading).length).toBeGreaterThan(1);
});

// Without the definition's hold (outage-gate.ts) it writes on, without a second look, while no reading is answered.
faultTest("a flip back while no reading of the definition is answered either: nothing is written after a second", async (bench) => {
  const { proxy, endOf } = bench;
  const { definition, id } = await underWay(bench);
  const held = proxy.hold(isReading, "before", Number.POSITIVE_INFINITY);
  await held.reached;
  await definition.setVersions(storedAt("v1beta1"));
  const sent = () => proxy.seen.filter(patchOf(definition)).at(-1)?.at ?? 0;
  await expect.poll(() => performance.now() - sent(), { timeout: 10_000 }).toBeGreaterThan(1_500);
  const confirmedAt = proxy.seen.filter((request) => isReading(request) && request.status === 200).at(-1)?.at ?? Number.NaN;
  expect(sent()).toBeLessThan(confirmedAt + CONFIRMED_FOR_MS + ON_ITS_WAY_MS);
  held.release();
  await expectTold(bench, definition, await endOf(definition, id));
});

// Without warningsOf (run-rewrite.ts) the Event says only that the record was removed.
for (const watch of ["tells", "hangs"] as const) {
  faultTest(
    `a replace that flips it back and removes the record, where the watch ${watch}: the Event tells what may be lost`,
    async (bench) => {
      const { api, cluster, proxy } = bench;
      const { definition, id } = await underWay(bench, { hangs: watch === "hangs" });
      const held = proxy.hold(patchOf(definition), "before");
      await held.reached;
      const { spec } = await definition.read();
      const versions = spec.versions.map((version) => ({ ...version, storage: version.name === "v1beta1" }));
      await api.mergePatch(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`, {
        metadata: { annotations: { "crdshift.dev/rewrite": null } },
        spec: { versions },
      });
      held.release();
      await expect.poll(() => controlOf({ crd: definition.name, id }), { timeout: 10_000 }).toBeNull();
      const values = [...(await definition.storedValues(cluster.etcd)).values()];
      const lost = values.filter(({ text }) => !text.includes("precious")).length;
      const events = () =>
        api.list<{ message: string }>(
          `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=${definition.name},reason=RewriteFailed`,
        );
      await expect.poll(async () => (await events()).items.length).toBe(1);
      const message = (await events()).items[0]?.message ?? "";
      expect(message).toMatch(/^The rewrite stopped\..*Its record was removed/);
      expect(message).toMatch(/spec changed during the rewrite|the storage version changed from v1 to v1beta1/);
      const told = /(\d+) objects? (?:was|were) written after crdshift last found the definition unchanged/.exec(message);
      expect(Number(told?.[1])).toBeGreaterThanOrEqual(Math.max(1, lost));
    },
  );
}

/** A run that writes, and whose watch hangs, unless told otherwise. */
async function underWay(
  { define, flip, proxy, start, run }: FaultBench,
  { hangs = true } = {},
): Promise<{ definition: SampleDefinition; id: string }> {
  const definition = await define(storedAt("v1beta1"));
  await flip(definition, storedAt("v1"));
  await definition.createObjects("v1", OBJECTS, () => ({ size: 1, note: "precious" }));
  if (hangs) proxy.inject(({ path }) => path.startsWith("/apis/apiextensions.k8s.io/") && path.includes("watch=1"), { kind: "hang" });
  const { id } = await start(definition, { maxPerSecond: PER_SECOND });
  await expect.poll(async () => (await run(definition, id)).counts.alreadyCurrent, { timeout: 60_000, interval: 20 }).toBeGreaterThan(5);
  return { definition, id };
}

/** That it failed, that hardly any note is lost, and that its end tells of each. */
async function expectTold({ cluster }: FaultBench, definition: SampleDefinition, end: Run): Promise<void> {
  const values = [...(await definition.storedValues(cluster.etcd)).values()];
  const lost = values.filter(({ text }) => !text.includes("precious")).length;
  expect(lost).toBeLessThanOrEqual((NOTICED_WITHIN_MS / 1_000) * PER_SECOND);
  expect(end).toMatchObject({ phase: "failed", statusReason: expect.stringContaining("the storage version changed from v1 to v1beta1") });
  const told = /(\d+) objects? (?:was|were) written after crdshift last found the definition unchanged/.exec(end.statusReason ?? "");
  expect(Number(told?.[1] ?? 0)).toBeGreaterThanOrEqual(lost);
}
