import { expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import { readReport } from "#lib/cluster/history/read-report.ts";
import { whoAmI } from "#lib/cluster/rights/read-rights.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { historySchema } from "#lib/contract/rewrite/history.ts";
import { reportSchema } from "#lib/contract/rewrite/report.ts";
import type { KubernetesObject } from "#lib/local-cluster/api-client.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { changeRewrite } from "#lib/rewrite/commands/change-rewrite.ts";
import { pauseRewrite } from "#lib/rewrite/commands/pause-rewrite.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { relistStoredVersions } from "#lib/rewrite/commands/relist-stored-versions.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { benchOn, openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";
import { chooseKubeconfig } from "#lib/settings/env.ts";
import { logActionsTo, recordAction, untilRecorded } from "./record-action.ts";

const bench = await openTestBench();
const { cluster, api, connection, patchesOf, stale } = bench;

interface LogLine {
  level: string;
  action?: string;
  crd?: string;
  cluster: string;
  run: string | null;
  by?: string;
  message: string;
}
const lines: LogLine[] = [];
logActionsTo((line) => lines.push(JSON.parse(line)));
const linesOf = (definition: SampleDefinition) => lines.filter(({ crd }) => crd === definition.name);
const COUNT = 30;

interface EventJson extends KubernetesObject {
  type: string;
  reason: string;
  message: string;
  eventTime: string;
  reportingComponent: string;
  involvedObject: { kind: string; name: string; uid: string };
}

/** The Events about a definition, oldest first, read apart from crdshift. */
async function eventsOf(definition: SampleDefinition): Promise<EventJson[]> {
  const { uid } = (await definition.read()).metadata;
  const { items } = await api.list<EventJson>(`/api/v1/namespaces/default/events?fieldSelector=involvedObject.uid=${uid}`);
  return items.sort((one, other) => one.eventTime.localeCompare(other.eventTime));
}

test("every action on a definition appears with its user and run in Events, the log, the history and the report", async () => {
  const definition = await stale(COUNT);
  // Slow enough that it is still at work when it is told.
  const { id } = await bench.start(definition, { maxPerSecond: 10 });
  await expect.poll(async () => (await bench.run(definition, id)).counts.rewritten, { timeout: 30_000, interval: 20 }).toBeGreaterThan(0);
  await pauseRewrite(connection, definition.name, id, soon());
  await expect.poll(async () => (await bench.run(definition, id)).phase, { timeout: 30_000, interval: 20 }).toBe("paused");
  for (const maxPerSecond of [600, 600]) await changeRewrite(connection, definition.name, id, { maxPerSecond, signal: soon() });
  // Taken, it would be dropped without a word.
  const accepting = resumeRewrite(connection, definition.name, id, { acceptUnseen: true, settleSeconds: 0, signal: soon() });
  await expect(accepting).rejects.toMatchObject({ code: "invalid_input" });
  await resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
  await bench.endOf(definition, id);
  await pruneStoredVersions(connection, definition.name, definition.name, soon());
  await relistStoredVersions(connection, definition.name, ["v1beta1", "v1"], soon());
  await untilRecorded();

  const user = await whoAmI(connection, soon());
  const { uid } = (await definition.read()).metadata;
  const events = await eventsOf(definition);
  expect(events.map(({ reason, metadata }) => [reason, metadata.annotations?.["crdshift.dev/run"]])).toEqual([
    ["RewriteStarted", id],
    ["RewritePaused", id],
    ["RewriteLimited", id],
    ["RewriteResumed", id],
    ["RewriteSucceeded", id],
    ["StoredVersionsPruned", id],
    ["PruneUndone", undefined],
  ]);
  for (const event of events) {
    expect(event).toMatchObject({ type: "Normal", reportingComponent: "crdshift", metadata: { annotations: { "crdshift.dev/by": user } } });
    expect(event.involvedObject).toMatchObject({ kind: "CustomResourceDefinition", name: definition.name, uid });
  }
  expect(linesOf(definition).map(({ level, action, by, run, message }) => [level, action, by, run, message])).toEqual([
    ["info", "started", user, id, `The rewrite of ${definition.name} to v1 started.`],
    ["info", "paused", user, id, "The rewrite was paused."],
    ["info", "limited", user, id, "The rewrite is now limited to 600 objects a second."],
    ["info", "resumed", user, id, "The rewrite was resumed."],
    ["info", "succeeded", user, id, `The rewrite is proven: all ${COUNT} objects are stored as v1.`],
    ["info", "pruned", user, id, "Pruned v1beta1 from status.storedVersions."],
    ["info", "unpruned", user, null, "Undid the prune of v1beta1."],
  ]);

  const history = historySchema.parse(await readHistory(connection, definition.name, soon()));
  expect(history.items.map(({ kind, by, sources }) => [kind, by?.user, by?.from, sources])).toEqual([
    ["unpruned", user, "event", ["event"]],
    ["pruned", user, "annotation", ["annotation", "event"]],
    ["succeeded", user, "event", ["annotation", "event"]],
    ["proven", undefined, undefined, ["annotation"]],
    ["resumed", user, "event", ["event"]],
    ["limited", user, "event", ["event"]],
    ["paused", user, "event", ["event"]],
    ["started", user, "annotation", ["annotation", "event"]],
  ]);
  expect(history.items.map(({ versions }) => versions).filter(Boolean)).toEqual([["v1beta1"], ["v1beta1"]]);
  expect(history.events).toEqual({ state: "read", count: events.length, oldest: history.items.at(-1)?.at, complete: true });
  expect(history.annotation).toEqual({ readable: true, runs: 1, mostRuns: 5 });

  const report = reportSchema.parse(await readReport(connection, definition.name, id, soon()));
  expect(report).toMatchObject({
    cluster: { context: cluster.context, server: cluster.server, version: expect.stringMatching(/^v1\.\d+\.\d+/) },
    definition: { name: definition.name, uid, generation: 2, storageVersion: "v1" },
    run: { id, phase: "succeeded", startedBy: user, crdshiftVersion: report.madeWith },
    verdict: { state: "proven", invalidBecause: null, proof: { objects: COUNT, runId: id, verify: "settle-point" } },
    settlePoint: { takenAt: expect.any(String), settleSeconds: 0 },
    outcomes: { total: COUNT, rewritten: COUNT, rejected: 0, remaining: 0 },
    ...{ rejections: [], acceptedLosses: null, prune: { state: "pruned", prune: { versions: ["v1beta1"], by: user, runId: id } } },
  });
  const counts = Object.fromEntries(report.patches.map(({ purpose, count }) => [purpose, count]));
  // Its own dry run tries the old version only if that has another schema.
  expect(counts).toEqual({ rewrite: COUNT, verify: 0, status: 0, ownership: 0, dryRun: COUNT });
  // The API server counts a request after its answer.
  await expect.poll(() => patchesOf(definition)).toBe(COUNT);
});

test("actions within one millisecond keep their order in the Events and in the history", async () => {
  const definition = await stale(0);
  await bench.rewrite(definition);
  const at = new Date().toISOString();
  const messages = ["first", "second", "third", "fourth"];
  for (const message of messages) recordAction(connection, definition.name, { kind: "limited", at, run: null, message });
  await untilRecorded();
  const isLimited = ({ reason }: EventJson) => reason === "RewriteLimited";
  expect((await eventsOf(definition)).filter(isLimited).map(({ message }) => message)).toEqual(messages);
  const { items } = await readHistory(connection, definition.name, soon());
  expect(items.filter(({ kind }) => kind === "limited").map(({ message }) => message)).toEqual(messages.toReversed());
});

test("a blocked run is a warning, and its report says what was rejected and that nothing is proven", async () => {
  const definition = await stale(12, { spec: (index) => ({ size: index, frozen: index === 0 }) });
  await denyUpdatesOfFrozen(api, definition);
  const { id } = await bench.rewrite(definition, { acceptUnseen: true, verify: "every-object" });
  await untilRecorded();
  const blocked = (await eventsOf(definition)).find(({ reason }) => reason === "RewriteBlocked");
  expect(blocked).toMatchObject({ type: "Warning", message: "1 object could not be rewritten, so there is no proof." });

  const report = reportSchema.parse(await readReport(connection, definition.name, id, soon()));
  expect(report).toMatchObject({
    definition: { generation: 2 },
    verdict: { state: "not-proven", because: "1 object could not be rewritten, so there is no proof." },
    outcomes: { total: 12, rewritten: 11, rejected: 1 },
    rejections: [{ count: 1, message: expect.stringContaining("is frozen"), examples: [{ namespace: "default", name: objectName(0) }] }],
    acceptedLosses: { by: report.run.startedBy, unseen: true },
    prune: { state: "none" },
  });
  expect(report.patches.find(({ purpose }) => purpose === "rewrite")?.count).toBe(12);
});

test("a user without the rights on Events can still rewrite: the log says so once, and the history says what is missing", async () => {
  const definition = await stale(5);
  const { group, plural } = definition;
  const verbs = ["get", "list", "watch", "patch"];
  const user = await restrictedUser(api, [
    { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions", "customresourcedefinitions/status"], verbs },
    { apiGroups: [group], resources: [plural], verbs },
  ]);
  await chooseContexts(cluster, { name: "no events", token: user.token });
  const limited = await connect("no events");
  chooseKubeconfig(cluster.kubeconfig);
  onTestFinished(() => fleetOf(limited).stop());
  const theirs = benchOn(cluster, api, limited);
  expect(await theirs.rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded", startedBy: user.name });
  await untilRecorded();

  expect(await eventsOf(definition)).toEqual([]);
  const of = (level: string) => linesOf(definition).filter((line) => line.level === level);
  expect(of("info").map(({ action, by }) => [action, by])).toEqual([
    ["started", user.name],
    ["succeeded", user.name],
  ]);
  expect(of("warn").map(({ message }) => message)).toEqual([expect.stringContaining('cannot create resource "events"')]);
  const history = await readHistory(limited, definition.name, soon());
  expect(history.items.map(({ kind }) => kind)).toEqual(["succeeded", "proven", "started"]);
  expect(history.events).toMatchObject({
    ...{ state: "denied", verb: "list", resource: "events", namespace: "default" },
    message: expect.stringContaining('cannot list resource "events"'),
  });
});

// With an await of what recordAction begins the warning is there before the first object is written.
faultTest(
  "Events that are never answered hold nothing up, and are given up by themselves",
  async ({ proxy, stale: staleBehind, start, endOf }) => {
    const definition = await staleBehind(5);
    const isEvent: Match = ({ method, path }) => method === "POST" && path === "/api/v1/namespaces/default/events";
    proxy.hold(isEvent, "before", Number.POSITIVE_INFINITY);
    const warnings = () => linesOf(definition).filter(({ level }) => level === "warn");
    const first = proxy.hold(patchOf(definition), "before");
    const { id } = await start(definition, { acceptUnseen: true });
    await first.reached;
    expect(warnings()).toEqual([]);
    first.release();
    expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded" });
    await expect.poll(() => proxy.seen.filter(isEvent).map(({ status }) => status)).toEqual([null, null]);
    await untilRecorded();
    expect(warnings()).toHaveLength(1);
    expect(await eventsOf(definition)).toEqual([]);
  },
);
