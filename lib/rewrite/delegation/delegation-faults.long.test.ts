import { expect, onTestFinished, test, vi } from "vitest";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { listMigrations } from "#lib/cluster/migrations/list-migrations.ts";
import { faultProxy, type Match } from "#lib/cluster/testing/fault-proxy.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { standInMigrations } from "#lib/cluster/testing/stand-in-migrations.ts";
import { migrationName } from "#lib/domain/rewrite/migration.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { changeRewrite } from "#lib/rewrite/commands/change-rewrite.ts";
import { pauseRewrite } from "#lib/rewrite/commands/pause-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { benchIn } from "#lib/rewrite/testing/bench/bench-in.ts";
import { recordOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { ownCluster } from "#lib/rewrite/testing/clusters/own-cluster.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";

// Delegation under faults, with stand-ins for the engines: what a controller would do, the test does, when it suits the fault.

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const ELEVEN_MINUTES_MS = 11 * 60_000;
/** Longer than crdshift waits for a list that it could do without. */
const SLOW_LIST_MS = 12_000;
const PICKED_UP_WITHIN_LOOKS = 30;
/** Between two lists of others' migrations there are five seconds. */
const RELISTED = { timeout: 30_000 };

const { cluster, api } = await ownCluster();
const openshift = await standInMigrations(api, "migration.k8s.io", "v1alpha1");
const inTree = await standInMigrations(api, "storagemigration.k8s.io", "v1");

// Without gate.progressed (ask-patiently.ts) the second outage ends the run at once: nothing counts as a success here for hours.
test("two outages, eleven minutes apart, are not one of eleven minutes", async () => {
  const proxy = await faultProxy(cluster);
  const bench = await benchIn({ cluster, api }, { server: proxy.server });
  const definition = await bench.stale(2);
  const { id } = await bench.start(definition, { engine: "in-tree", acceptUnseen: true });
  await pickedUp(id);
  const because = async () => (await bench.run(definition, id)).statusReason ?? "open";
  const outage = async () => {
    const cut = proxy.inject(() => true, { kind: "reset", when: "before" });
    // By the clock of the second one, the last renewal of the record was long ago: nothing is sent before the next.
    await expect.poll(because, { timeout: 30_000 }).toContain("can't be reached");
    cut.stop();
    await expect.poll(because, { timeout: 30_000 }).toBe("open");
  };

  await outage();
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + ELEVEN_MINUTES_MS);
  onTestFinished(() => clock.mockRestore());
  await outage();

  await succeed(id);
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: 2 } });
});

// Without putBackAfterRefusal (run-rewrite.ts) the list stays as the engine left it, and the API server lets anyone drop the version.
test("a run whose proof is refused as it ends puts back what the engine has removed from the list", async () => {
  const proxy = await faultProxy(cluster);
  const bench = await benchIn({ cluster, api }, { server: proxy.server });
  const definition = await bench.stale(2);
  const { id } = await bench.start(definition, { engine: "in-tree", acceptUnseen: true });
  await pickedUp(id);
  const proving = proxy.hold(recordOf(definition, "provenAt"), "before");
  await api.mergePatch(`${DEFINITIONS}/${definition.name}/status`, { status: { storedVersions: ["v1"] } });
  await succeed(id);
  await proving.reached;
  await writeRecord(api, definition, { ...(await readRecord(definition)), settlePoint: null });
  proving.release();
  await expect.poll(async () => (await readRecord(definition)).runs[0]?.delegation?.putBack, RELISTED).toEqual(["v1beta1"]);
  expect(await bench.run(definition, id)).toMatchObject({ phase: "failed", statusReason: expect.stringContaining("was withdrawn") });
  expect((await definition.read()).status?.storedVersions?.toSorted()).toEqual(["v1", "v1beta1"]);
});

// With a time limit of its own for the list (refuseToWait in create-and-wait.ts) the run fails, and a cancel waits for that limit.
test("a list of migrations that takes long holds up a run that waits for another's, and not its cancel", async () => {
  const proxy = await faultProxy(cluster);
  const bench = await benchIn({ cluster, api }, { server: proxy.server });
  const definition = await bench.stale(1);
  const { id } = await bench.start(definition, { engine: "in-tree", acceptUnseen: true });
  await expect.poll(inTree.names).toContain(migrationOf(id));
  const other = `other-${definition.group}`;
  await inTree.create(other, definition);
  await inTree.say(other, { type: "Running" });
  const lists: Match = ({ method, path }) => method === "GET" && path.includes("/storageversionmigrations?");
  const slow = proxy.inject(lists, { kind: "delay", ms: SLOW_LIST_MS });
  const looks = () => proxy.seen.filter(({ method, path }) => method === "GET" && path.endsWith(`/${migrationOf(id)}`)).length;
  // From then on, each look asks for the list, and the next one comes only once that has been answered.
  const answered = looks() + PICKED_UP_WITHIN_LOOKS + 1;
  const phase = async () => (await bench.run(definition, id)).phase;
  // The migration is there a moment before the run tells.
  await expect.poll(phase).toBe("rewriting");
  const isPast = async () => looks() > answered || (await phase()) !== "rewriting";
  await expect.poll(isPast, { timeout: 120_000 }).toBe(true);
  expect(await bench.run(definition, id)).toMatchObject({ phase: "rewriting", delegation: { phase: "pending" }, statusReason: null });

  slow.stop();
  const { reached } = proxy.hold(lists, "before", Number.POSITIVE_INFINITY);
  await reached;
  const pressedAt = performance.now();
  await cancelRewrite(bench.connection, definition.name, id, soon());
  expect(performance.now() - pressedAt).toBeLessThan(1_000);
  expect(await bench.run(definition, id)).toMatchObject({ phase: "cancelled", delegation: { phase: null } });
});

// Without what was known of the engine that may not be listed (known in keep-migrations.ts) its migration ends because nobody may look;
// without the merge by engine the other's never ends.
test("if one of two engines may not be listed, the other's migrations stay live, the denied one's stay known, and the denial is reported", async () => {
  const mayList = (...apiGroups: string[]) => [
    { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["get", "list", "watch"] },
    { apiGroups, resources: ["storageversionmigrations"], verbs: ["list"] },
  ];
  const user = await restrictedUser(api, mayList("storagemigration.k8s.io", "migration.k8s.io"));
  const bench = await benchIn({ cluster, api }, { token: user.token });
  const definition = await bench.define(beforeFlip);
  const other = await bench.define(beforeFlip);
  const shown = async ({ name }: SampleDefinition) => {
    const { migrations, state } = await readDetail(bench.connection, name, soon());
    return [...migrations.map(({ engine, phase }) => `${engine} ${phase}`), state];
  };
  const apis = async () => (await listMigrations(bench.connection, soon())).apis;
  await inTree.create("theirs", definition);
  await openshift.create("theirs", other);
  for (const engine of [inTree, openshift]) await engine.say("theirs", { type: "Running" });
  await expect.poll(() => shown(definition), RELISTED).toEqual(["in-tree running", "rewriting"]);
  await expect.poll(() => shown(other), RELISTED).toEqual(["openshift running", "rewriting"]);

  await user.grant(mayList("migration.k8s.io"));
  const denied = { status: "denied", message: expect.stringContaining("cannot list") };
  await expect.poll(apis).toEqual({ "in-tree": denied, openshift: { status: "served", version: "v1alpha1" } });
  for (const engine of [inTree, openshift]) await engine.say("theirs", { type: "Succeeded" });
  await expect.poll(() => shown(other), RELISTED).toEqual(["openshift succeeded", "current"]);
  expect(await shown(definition)).toEqual(["in-tree running", "rewriting"]);

  await user.grant(mayList("storagemigration.k8s.io"));
  await expect.poll(apis).toEqual({ "in-tree": { status: "served", version: "v1" }, openshift: denied });
  await expect.poll(() => shown(definition), RELISTED).toEqual(["in-tree succeeded", "current"]);
  expect(await shown(other)).toEqual(["openshift succeeded", "current"]);
});

// Without isOtherEngineAtWork (check-losses.ts) the sample is taken for enough: that engine, which looks at nothing, would drop the notes.
test("a dry run of a sample is not enough: the run tries every object itself, before anything is created", async () => {
  const bench = await benchIn({ cluster, api });
  const properties = { size: { type: "integer" } };
  /** v1 lacks `note`, without conversion. */
  const versions = (storage: string): SampleVersion[] => [
    { name: "v1", storage: storage === "v1", properties },
    { name: "v1beta1", storage: storage === "v1beta1", properties: { ...properties, note: { type: "string" } } },
  ];
  const sampled = async (noted: number) => {
    const definition = await bench.define(versions("v1beta1"));
    await definition.createObjects("v1beta1", 12, (index) => ({ size: index, ...(index < noted && { note: "precious" }) }));
    await bench.flip(definition, versions("v1"));
    let tried = await bench.dryRun(definition, { sampleSize: 1 });
    for (let again = 0; tried.losses.length > 0 && again < 20; again += 1) tried = await bench.dryRun(definition, { sampleSize: 1 });
    expect(tried).toMatchObject({ losses: [], dryRun: { checked: 1, total: 12 } });
    return { definition, sample: tried.id };
  };

  const { definition, sample } = await sampled(4);
  const blocked = await bench.rewrite(definition, { engine: "in-tree" });
  expect(blocked).toMatchObject({ phase: "unproven", heldBackBecause: expect.stringContaining("spec.note"), delegation: { phase: null } });
  expect(blocked.dryRun).not.toBe(sample);
  expect(await inTree.names()).not.toContain(migrationOf(blocked.id));
  expect(await bench.storedAs(definition)).toEqual({ v1beta1: 12 });

  const { definition: lossless } = await sampled(0);
  const { id } = await bench.start(lossless, { engine: "in-tree" });
  await pickedUp(id);
  expect((await readRecord(lossless)).dryRun).toMatchObject({ checked: 12, total: 12 });
  await succeed(id);
  expect(await bench.endOf(lossless, id)).toMatchObject({ phase: "succeeded", acceptedLosses: null });
});

// Without the list as it is now (storedVersionsBefore in resume-rewrite.ts) v2 is not put back, with an object that is stored so.
test("a list that grew between interruption and resume is repaired to its grown state", async () => {
  const bench = await benchIn({ cluster, api });
  const names = ["v1beta1", "v1", "v2", "v3"];
  // From v1 on, discovery prefers the storage version; otherwise, nothing would be delegated.
  const four = (storage: string) =>
    names.map((name, index) => ({ name, storage: name === storage, served: index <= Math.max(1, names.indexOf(storage)) }));
  const definition = await bench.define(four("v1beta1"));
  await definition.createObjects("v1beta1", 1, () => ({ frozen: true }));
  await denyUpdatesOfFrozen(api, definition);
  await bench.flip(definition, four("v1"));
  const { id } = await bench.start(definition, { engine: "in-tree", acceptUnseen: true });
  await pickedUp(id);
  await stopAllRuns();
  expect(await bench.run(definition, id)).toMatchObject({ phase: "interrupted", delegation: { storedVersionsBefore: ["v1beta1", "v1"] } });
  await bench.flip(definition, four("v2"));
  const late = { apiVersion: `${definition.group}/v2`, kind: "Widget", metadata: { name: "late" }, spec: { frozen: true } };
  await api.create(definition.path("v2", { name: "" }), late);
  await bench.flip(definition, four("v3"));

  await resumeRewrite(bench.connection, definition.name, id, { acceptUnseen: true, settleSeconds: 0, signal: soon() });
  await pickedUp(id, 4);
  // It fails on the first object, and shortens the list anyway.
  await shorten(definition, "v3");
  await inTree.say(migrationOf(id, 4), { type: "Running", status: "False" }, { type: "Failed", message: `${objectName(0)} is frozen` });

  expect(await bench.endOf(definition, id)).toMatchObject({
    phase: "unproven",
    delegation: { phase: "failed", migration: migrationOf(id, 4), putBack: ["v1beta1", "v1", "v2"] },
    counts: { rejected: 2 },
  });
  expect(await bench.storedAs(definition)).toEqual({ v1beta1: 1, v2: 1 });
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1", "v2", "v3"]);
});

// Without isOtherEngineAtWork (control-here.ts) the pause is taken, which that engine would not keep.
test("a run that settles before it delegates can't be paused or limited, but cancelling it leaves nothing behind", async () => {
  const bench = await benchIn({ cluster, api });
  const definition = await bench.stale(1);
  const options = { engine: "in-tree", acceptUnseen: true, settleSeconds: 5, signal: soon() } as const;
  const { id } = await startRewrite(bench.connection, definition.name, options);
  const refusal = {
    code: "precondition_failed",
    message: expect.stringContaining("can't be paused"),
    details: { run: { phase: "settling" } },
  };
  await expect(pauseRewrite(bench.connection, definition.name, id, soon())).rejects.toMatchObject(refusal);
  const limit = { maxPerSecond: 1, signal: soon() };
  await expect(changeRewrite(bench.connection, definition.name, id, limit)).rejects.toMatchObject(refusal);

  await expect.poll(inTree.names).toContain(migrationOf(id));
  await expect.poll(() => bench.run(definition, id)).toMatchObject({ phase: "rewriting", command: null });
  expect(await cancelRewrite(bench.connection, definition.name, id, soon())).toMatchObject({
    phase: "cancelled",
    delegation: { phase: null, left: expect.stringContaining("was deleted before any controller picked it up") },
  });
  expect(await inTree.names()).not.toContain(migrationOf(id));
});

/** The name of a run's migration. Most definitions of these tests are at their second generation. */
function migrationOf(runId: string, generation = 2): string {
  return migrationName(runId, generation);
}

/** Resolves when the run's migration is there, and runs. */
async function pickedUp(runId: string, generation = 2): Promise<void> {
  const name = migrationOf(runId, generation);
  await expect.poll(inTree.names).toContain(name);
  await inTree.say(name, { type: "Running" });
}

/** The engine says that it has succeeded, whatever it did. */
async function succeed(runId: string): Promise<void> {
  await inTree.say(migrationOf(runId), { type: "Running", status: "False" }, { type: "Succeeded" });
}

/** What the engine does to the list at its end. */
async function shorten({ name }: SampleDefinition, storage: string): Promise<void> {
  await api.mergePatch(`${DEFINITIONS}/${name}/status`, { status: { storedVersions: [storage] } });
}
