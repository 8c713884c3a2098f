import { expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { countObjects } from "#lib/cluster/objects/object-counts.ts";
import { chooseEtcd } from "#lib/cluster/testing/choose-contexts.ts";
import { faultProxy, type Match } from "#lib/cluster/testing/fault-proxy.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { removeVersion } from "#lib/rewrite/spec-change/remove-version.ts";
import { benchIn } from "#lib/rewrite/testing/bench/bench-in.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { holdElsewhere, readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";

const bench = await openTestBench();
const { cluster, api, connection } = bench;
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** A definition of one object, rewritten and proven; `makeStale` puts its old bytes back into etcd. */
async function provenDefinition() {
  const definition = await bench.stale(1);
  const stale = (await definition.storedValues(cluster.etcd)).get(objectName(0))?.text ?? "";
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const makeStale = () => putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${objectName(0)}`, stale);
  return { definition, makeStale };
}

/** The same cluster behind a proxy that the test can have hold requests. */
async function behindProxy() {
  const proxy = await faultProxy(cluster);
  return { proxy, connection: (await benchIn(bench, { server: proxy.server })).connection };
}

const readOf =
  (definition: SampleDefinition): Match =>
  ({ method, path }) =>
    method === "GET" && path === `${DEFINITIONS}/${definition.name}`;

/** Makes a change of the definition whose first read sees a run of another crdshift, which has ended before the second one. */
async function besideEndingRun(definition: SampleDefinition, change: (held: typeof connection) => Promise<unknown>): Promise<unknown> {
  const { proxy, connection: held } = await behindProxy();
  const ended = await readRecord(definition);
  await holdElsewhere(api, definition, { phase: "rewriting", endedAt: null, renewedAt: new Date().toISOString() });
  const first = proxy.hold(readOf(definition), "after");
  const outcome = change(held).catch((error: unknown) => error);
  await first.reached;
  await writeRecord(api, definition, ended);
  first.release();
  return outcome;
}

const prune = (of: typeof connection, { name }: SampleDefinition) => pruneStoredVersions(of, name, name, soon());
const storedVersions = async (definition: SampleDefinition) => (await definition.read()).status.storedVersions;
const running = { code: "conflict", message: expect.stringMatching(/^A rewrite is in progress, /), details: { run: expect.anything() } };
const disproved = {
  code: "precondition_failed",
  message: expect.stringContaining("etcd holds 1 object stored as v1beta1, but a proof says there are none"),
};

// Without `uncounted` (prune-stored-versions.ts) it prunes a version in which etcd holds an object, because nothing was counted.
test("a prune that a run refuses as nothing is counted yet stays refused when the run ends a moment later", async () => {
  const { definition, makeStale } = await provenDefinition();
  await makeStale();
  chooseEtcd(cluster.etcd);
  expect(await besideEndingRun(definition, (held) => prune(held, definition))).toMatchObject(running);
  expect(await storedVersions(definition)).toEqual(["v1beta1", "v1"]);
  await expect(prune(connection, definition)).rejects.toMatchObject(disproved);
});

// Without `uncounted` (remove-version.ts) it removes the version, and the object can't be read any more.
test("so does a removal", async () => {
  const { definition, makeStale } = await provenDefinition();
  await prune(connection, definition);
  await bench.flip(definition, [
    { name: "v1beta1", served: false },
    { name: "v1", storage: true },
  ]);
  await makeStale();
  chooseEtcd(cluster.etcd);
  const options = { confirm: "v1beta1", acceptManagedFields: true } as const;
  const removal = (of: typeof connection) => removeVersion(of, definition.name, "v1beta1", options, soon());
  expect(await besideEndingRun(definition, removal)).toMatchObject(running);
  await expect(removal(connection)).rejects.toMatchObject({ message: expect.stringContaining("would make them unreadable") });
  expect((await definition.read()).spec.versions).toHaveLength(2);
});

// Without the migrations (refuse-what-etcd-disproves.ts) the condition refuses the prune, and nothing is counted.
test("a prune is counted beside a condition that a deleted migration has left behind", async () => {
  const { definition, makeStale } = await provenDefinition();
  const { conditions } = (await api.get<{ status: { conditions: object[] } }>(`${DEFINITIONS}/${definition.name}`)).status;
  const said = { type: "StorageMigrating", status: "True", reason: "Running", message: "Migration gone is running" };
  await api.mergePatch(`${DEFINITIONS}/${definition.name}/status`, { status: { conditions: [...conditions, said] } });
  await makeStale();
  chooseEtcd(cluster.etcd);
  await expect(prune(connection, definition)).rejects.toMatchObject(disproved);
  expect(await storedVersions(definition)).toEqual(["v1beta1", "v1"]);
});

// Without withRememberedCount in begin (prune-stored-versions.ts) it prunes although the page shows what contradicts it.
test("a prune heeds a count that somebody else makes after its own", async () => {
  const { definition, makeStale } = await provenDefinition();
  const { proxy, connection: held } = await behindProxy();
  const first = proxy.hold(readOf(definition), "after");
  const outcome = prune(held, definition).catch((error: unknown) => error);
  await first.reached;
  const second = proxy.hold(readOf(definition), "after");
  first.release();
  await second.reached;
  await makeStale();
  chooseEtcd(cluster.etcd);
  const { crd } = await readCrd(held, definition.name, soon());
  await Array.fromAsync(countObjects(held, crd, soon()));
  second.release();
  expect(await outcome).toMatchObject(disproved);
  expect(await storedVersions(definition)).toEqual(["v1beta1", "v1"]);
});
