import { beforeAll, expect } from "vitest";
import { buildCli, type CliProcess, startCli } from "#lib/cli/testing/run-cli.ts";
import { writeContexts } from "#lib/cluster/testing/choose-contexts.ts";
import type { SeenRequest } from "#lib/cluster/testing/fault-proxy.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { type FaultBench, faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";

beforeAll(buildCli);

/** Current, and below the settle point, so each rewrite patches them. */
const CURRENT = 30;

/**
 * Proven objects, of which two are then stored at the old version all the same, above the settle point, and a prune by a crdshift with
 * another key: it has found and rewritten the first, and its patch of the second is held.
 */
async function halfVerified(
  bench: FaultBench,
  beforePrune = (_: SampleDefinition) => {},
): Promise<{ definition: SampleDefinition; other: CliProcess; release(): void }> {
  const { cluster, api, proxy, define, flip, rewrite, storedAs } = bench;
  const definition = await define([{ name: "v1" }, { name: "v1beta1", storage: true }]);
  await definition.createObjects("v1beta1", 2);
  const old = await definition.storedValues(cluster.etcd);
  await flip(definition, [{ name: "v1", storage: true }, { name: "v1beta1" }]);
  for (let index = 100; index < 100 + CURRENT; index += 1) {
    const metadata = { name: objectName(index) };
    await api.create(definition.path("v1", { name: "" }), {
      apiVersion: `${definition.group}/v1`,
      kind: "Widget",
      metadata,
      spec: { size: 1 },
    });
  }
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const [first, second] = [objectName(0), objectName(1)];
  for (const name of [first, second]) {
    await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${name}`, old.get(name)?.text ?? "");
  }
  await expect.poll(() => storedAs(definition)).toMatchObject({ v1beta1: 2 });
  const held = proxy.hold(patchOf(definition, second), "before", Number.POSITIVE_INFINITY);
  const kubeconfig = await writeContexts(cluster, { name: "other", server: proxy.server });
  const args = ["prune", definition.name, "--confirm", definition.name, "--context", "other"];
  beforePrune(definition);
  // In a pod, each command has a key of its own.
  const other = startCli(args, { KUBECONFIG: kubeconfig, KUBERNETES_SERVICE_HOST: "10.0.0.1" });
  await held.reached;
  await expect.poll(() => storedAs(definition), { timeout: 30_000 }).toMatchObject({ v1beta1: 1 });
  return { definition, other, release: held.release };
}

const prune = ({ connection }: FaultBench, { name }: SampleDefinition) => pruneStoredVersions(connection, name, name, soon());

// Without isWithdrawn (rewrite-until-proven.ts) the run does everything, and fails at its end; without restsOn (finish-run.ts) either, it
// proves what it took for current, the doubt ends, and the prune is let through.
faultTest("a run takes another settle point if another crdshift has disproved its own meanwhile", async (bench) => {
  const { api, cluster, proxy } = bench;
  const definition = await bench.stale(6);
  const old = (await definition.storedValues(cluster.etcd)).get(objectName(0))?.text ?? "";
  expect(await bench.rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  const isList = ({ method, path }: SeenRequest) =>
    method === "GET" && path.startsWith(`/apis/${definition.group}/`) && /[?&]limit=\d\d/.test(path);
  const list = proxy.hold(isList, "before");
  const { id } = await bench.start(definition, { acceptUnseen: true });
  await list.reached;
  await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${objectName(0)}`, old);
  // As the verification of a claim does: below.
  const doubt = { rejected: 0 };
  await writeRecord(api, definition, { ...(await readRecord(definition)), proof: null, settlePoint: null, doubt });
  list.release();
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { total: 6, rewritten: 1 } });
  expect(await bench.storedAs(definition)).toEqual({ v1: 6 });
  expect(await readRecord(definition)).toMatchObject({ proof: { runId: id }, doubt: null });
});

// With what it finds kept until its pass ends (withdraw-claim.ts) the proof outlives this process.
faultTest("what the verification of a claim finds is on record although its process is killed before it ends", async (bench) => {
  const { definition, other, release } = await halfVerified(bench);
  await expect.poll(async () => (await readRecord(definition)).proof, { timeout: 30_000 }).toBeNull();
  other.signal("SIGKILL");
  await other.exited;
  expect(await readRecord(definition)).toMatchObject({ proof: null, settlePoint: null, doubt: { rejected: 0 } });
  await expect(prune(bench, definition)).rejects.toMatchObject({ code: "precondition_failed" });
  release();
});

// Without withdrawAnyway (withdraw-claim.ts) the proof stays, and with it another crdshift prunes, with an object left behind.
faultTest("what can't be recorded at once is recorded once it can", async (bench) => {
  const { definition, other, release, recovers } = await unrecorded(bench);
  expect((await readRecord(definition)).proof).not.toBeNull();
  recovers();
  expect(await other.exited).not.toBe(0);
  expect(other.stderr()).not.toContain("couldn't record what it found");
  expect(await readRecord(definition)).toMatchObject({ proof: null, settlePoint: null, doubt: { rejected: 0 } });
  await expect(prune(bench, definition)).rejects.toMatchObject({ code: "precondition_failed" });
  release();
});

// With words from before the wait (prune.ts) they say that it goes on trying, as the process ends.
faultTest("a command that is stopped before that says that it isn't on record", async (bench) => {
  const { definition, other, release } = await unrecorded(bench);
  other.signal("SIGINT");
  await other.exited;
  expect(other.stderr()).toContain(`Rewrite ${definition.name} before anyone prunes.`);
  release();
});

/** As halfVerified, but the API server takes no write of the definition since the prune began, until it `recovers`. */
async function unrecorded(bench: FaultBench) {
  let recovers = () => {};
  const verified = await halfVerified(bench, ({ name }) => {
    const isDefinition = ({ method, path }: SeenRequest) => method === "PATCH" && path.includes(`/customresourcedefinitions/${name}`);
    const body = JSON.stringify({ kind: "Status", status: "Failure", reason: "ServiceUnavailable", message: "away" });
    recovers = bench.proxy.inject(isDefinition, { kind: "answer", status: 503, body }, Number.POSITIVE_INFINITY).stop;
  });
  await expect.poll(() => verified.other.stderr(), { timeout: 30_000 }).toContain("Recording what the verification");
  return { ...verified, recovers };
}
