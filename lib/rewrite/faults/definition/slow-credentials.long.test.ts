import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { slowPlugin } from "#lib/cluster/testing/slow-plugin.ts";
import type { SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { benchOn } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const OBJECTS = 160;
const PER_SECOND = 40;
/** Longer than what a reading of the definition confirms. */
const CONFIRMED_FOR_MS = 1_500;
const properties = { size: { type: "integer" } };
/** Only v1 has `note`, and nothing converts. */
const storedAt = (storage: string): SampleVersion[] => [
  { name: "v1", storage: storage === "v1", properties: { ...properties, note: { type: "string" } } },
  { name: "v1beta1", storage: storage === "v1beta1", properties },
];
const UNAUTHORIZED = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason: "Unauthorized", code: 401 });
const isReading: Match = ({ method, path, headers }) =>
  method === "GET" && path.includes("/customresourcedefinitions/") && headers.accept?.includes("PartialObjectMetadata") === true;

// Without held() (whole-answer.ts) each write that has waited for the plugin goes out, and takes a note from etcd.
faultTest("a flip back while writes wait for new credentials: none goes out before the definition is read again", async (bench) => {
  const { cluster, proxy, api } = bench;
  const plugin = await slowPlugin(cluster.token);
  const name = `plugin ${proxy.server}`;
  await chooseContexts(cluster, { name, server: proxy.server, exec: plugin.exec });
  const connection = await connect(name);
  onTestFinished(() => fleetOf(connection).stop());
  const { start, run, endOf } = benchOn(cluster, api, connection);
  const definition = await bench.define(storedAt("v1beta1"));
  await bench.flip(definition, storedAt("v1"));
  await definition.createObjects("v1", OBJECTS, () => ({ size: 1, note: "precious" }));
  proxy.inject(({ path }) => path.startsWith("/apis/apiextensions.k8s.io/") && path.includes("watch=1"), { kind: "hang" });
  const { id } = await start(definition, { maxPerSecond: PER_SECOND });
  await expect.poll(async () => (await run(definition, id)).counts.alreadyCurrent, { timeout: 60_000, interval: 20 }).toBeGreaterThan(5);

  await plugin.wait();
  const isRejected = ({ status }: { status: number | null }) => status === 401;
  const expired = proxy.inject(() => true, { kind: "answer", status: 401, body: UNAUTHORIZED });
  const waiting = () => proxy.seen.filter((request) => patchOf(definition)(request) && isRejected(request));
  await expect.poll(() => waiting().length, { timeout: 10_000 }).toBeGreaterThan(0);
  await wait(CONFIRMED_FOR_MS);
  const readings = proxy.hold(isReading, "before", Number.POSITIVE_INFINITY);
  await definition.setVersions(storedAt("v1beta1"));
  expired.stop();
  const before = proxy.seen.length;
  await plugin.go();
  await readings.reached;
  await wait(CONFIRMED_FOR_MS);
  readings.release();
  const end = await endOf(definition, id);
  expect(end).toMatchObject({ phase: "failed", statusReason: expect.stringContaining("the storage version changed from v1 to v1beta1") });
  const sent = proxy.seen.slice(before).filter((request) => patchOf(definition)(request) && !isRejected(request));
  expect(sent).toEqual([]);
  const values = [...(await definition.storedValues(cluster.etcd)).values()];
  expect(values.filter(({ text }) => !text.includes("precious"))).toEqual([]);
});
