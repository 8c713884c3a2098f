import { expect } from "vitest";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { readReport } from "#lib/cluster/history/read-report.ts";
import { runVerdict } from "#lib/domain/rewrite/run-verdict.ts";
import { faultTest, listOf, past } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";

const OBJECTS = 10;
const properties = { frozen: { type: "boolean" }, size: { type: "integer" } };
const old = { name: "v1beta1", properties: { ...properties, note: { type: "string" } } };
const current = { name: "v1", properties };

// Without rejectedSince (tally.ts) it says that it rewrote none and left all unchanged, and their notes are gone from etcd.
faultTest("objects that were rewritten stay rewritten, though the verification is refused for all of them", async (bench) => {
  const { api, cluster, connection, proxy } = bench;
  const versions = { before: [{ ...old, storage: true }, current], after: [old, { ...current, storage: true }] };
  const spec = (size: number) => ({ frozen: true, size, note: "precious" });
  const definition = await bench.stale(OBJECTS, { versions, spec });
  await bench.dryRun(definition);
  const held = proxy.hold(past(1, listOf(definition)), "before");
  const { id } = await bench.start(definition, { acceptLosses: true, verify: "every-object" });
  await held.reached;
  await denyUpdatesOfFrozen(api, definition);
  held.release();
  const run = await bench.endOf(definition, id);
  const counts = { total: OBJECTS, rewritten: OBJECTS, rejected: OBJECTS, remaining: 0 };
  expect(run).toMatchObject({ phase: "unproven", counts });
  expect(runVerdict(run)?.sentence).toBe("10 objects could not be verified after they were rewritten, so there is no proof.");
  expect((await readReport(connection, definition.name, id, soon())).outcomes).toMatchObject(counts);
  expect((await readDetail(connection, definition.name, soon())).stateReason).toContain("could not be verified after they were rewritten");
  const stored = [...(await definition.storedValues(cluster.etcd)).values()];
  expect(stored.filter(({ text }) => text.includes("precious"))).toEqual([]);
});
