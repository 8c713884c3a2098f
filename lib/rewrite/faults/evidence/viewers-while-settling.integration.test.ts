import { expect, onTestFinished, test } from "vitest";
import { sleep } from "#lib/async/sleep.ts";
import { connect } from "#lib/cluster/connection/connect.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const { cluster, connection, stale, run, endOf } = await openTestBench();
const SETTLE_SECONDS = 4;
const VIEWERS = 4;

// With the disproof noted by each fleet for itself (noteShownDisproof in known-crds.ts) each of them begins the wait anew for everyone.
test("people who open crdshift while a run settles anew don't hold it up", async () => {
  const definition = await stale(12);
  const name = objectName(0);
  const old = (await definition.storedValues(cluster.etcd)).get(name)?.text ?? "";
  const begin = (how: { verify?: "every-object" }) =>
    startRewrite(connection, definition.name, { ...how, acceptUnseen: true, settleSeconds: SETTLE_SECONDS, signal: soon() });
  const first = await begin({});
  expect(await endOf(definition, first.id)).toMatchObject({ phase: "succeeded" });
  await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${name}`, old);
  await chooseContexts(cluster, ...Array.from({ length: VIEWERS }, (_, index) => ({ name: `viewer ${index}` })));
  const { id } = await begin({ verify: "every-object" });
  await expect.poll(async () => (await readRecord(definition)).settlePoint, { interval: 50, timeout: 20_000 }).toBeNull();
  await expect.poll(async () => (await run(definition, id)).settlesAt, { interval: 50, timeout: 20_000 }).not.toBeNull();
  const { settlesAt } = await run(definition, id);
  for (let index = 0; index < VIEWERS; index += 1) {
    await sleep((SETTLE_SECONDS * 1_000) / (VIEWERS + 2), soon());
    const fleet = fleetOf(await connect(`viewer ${index}`));
    onTestFinished(() => fleet.stop());
    await fleet.listed(soon());
  }
  const end = await endOf(definition, id);
  expect(end.phase).toBe("succeeded");
  expect(Date.parse(end.endedAt ?? "") - Date.parse(settlesAt ?? "")).toBeLessThan((SETTLE_SECONDS * 1_000) / 2);
});
