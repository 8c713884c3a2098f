import { describe, expect, onTestFinished, test } from "vitest";
import { sleep } from "#lib/async/sleep.ts";
import { connect } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { fleetOf, forgetRefused } from "#lib/cluster/fleet/fleet-of.ts";
import { mayI, readRights } from "#lib/cluster/rights/read-rights.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { EMPTY_RECORD } from "#lib/domain/record/rewrite-record.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { sampleRun } from "#lib/domain/testing/sample-crd.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { changeRewrite } from "#lib/rewrite/commands/change-rewrite.ts";
import { pauseRewrite } from "#lib/rewrite/commands/pause-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { findDryRun, listDryRuns } from "#lib/rewrite/dry-run/dry-runs.ts";
import { startDryRun } from "#lib/rewrite/dry-run/start-dry-run.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { refuseWhileCleaning } from "#lib/rewrite/managed-fields/cleanings-here.ts";
import { controlOf, holderName, stopAllRuns } from "#lib/rewrite/run/running.ts";
import { putBackVersion } from "#lib/rewrite/spec-change/put-back-version.ts";
import { crds, mayRewrite } from "#lib/rewrite/testing/bench/may-rewrite.ts";
import { benchOn, openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";

const bench = await openTestBench();
const { cluster, api } = bench;

const mayRead = [{ ...crds, verbs: ["get", "list", "watch"] }];
const mayPatch = ({ name }: SampleDefinition) => ({ ...crds, resourceNames: [name], verbs: ["patch"] });
const mayWrite = ({ group, plural }: SampleDefinition) => ({ apiGroups: [group], resources: [plural], verbs: ["get", "list", "patch"] });
const FORGED = "Forged by somebody else.";
const connectAs = (token: string): Promise<Connection> => connect(cluster.context, { kind: "bearer", token });

const recordedRuns = async (definition: SampleDefinition) => (await readRecord(definition)).runs;
const copiedRuns = async (from: SampleDefinition, to: SampleDefinition) =>
  (await recordedRuns(from)).map((run) => ({ ...run, crd: to.name }));

/** Writes a record with these runs, as whoever may patch the definition can. */
async function writeRuns(definition: SampleDefinition, runs: Run[]): Promise<void> {
  const { uid } = (await definition.read()).metadata;
  await writeRecord(api, definition, { ...EMPTY_RECORD, uid, holder: holderName(), runs }, "kubectl-annotate");
}

const isKnown = (connection: Connection, definition: SampleDefinition, id: string) =>
  benchOn(cluster, api, connection)
    .run(definition, id)
    .then(
      () => true,
      () => false,
    );

describe("a run with its own token", () => {
  test("has only that user's rights, names the user, and obeys others only if they could write its record", async () => {
    const definition = await bench.stale(60);
    const [owner, reader, other] = [
      await restrictedUser(api, mayRewrite(definition)),
      await restrictedUser(api, mayRead),
      await restrictedUser(api, mayRewrite(definition)),
    ];
    const [own, strangers, others] = [await connectAs(owner.token), await connectAs(reader.token), await connectAs(other.token)];
    const run = await benchOn(cluster, api, own).start(definition, { maxPerSecond: 2 });
    expect(run.startedBy).toBe(owner.name);

    // Only its watch tells a stranger of it.
    await expect
      .poll(() =>
        benchOn(cluster, api, strangers)
          .run(definition, run.id)
          .then(
            ({ id }) => id,
            () => null,
          ),
      )
      .toBe(run.id);
    const refusal = { code: "forbidden", nextStep: expect.stringContaining("kubectl auth can-i patch customresourcedefinitions") };
    const { name } = definition;
    await expect(pauseRewrite(strangers, name, run.id, soon())).rejects.toMatchObject(refusal);
    await expect(changeRewrite(strangers, name, run.id, { maxPerSecond: null, signal: soon() })).rejects.toMatchObject(refusal);
    await expect(resumeRewrite(strangers, name, run.id, { settleSeconds: 0, signal: soon() })).rejects.toMatchObject(refusal);
    await expect(cancelRewrite(strangers, name, run.id, soon())).rejects.toMatchObject(refusal);
    // Nor by way of a definition where they may.
    const mine = await bench.define(beforeFlip);
    await pauseRewrite(own, name, run.id, soon());
    await expect(resumeRewrite(own, mine.name, run.id, { settleSeconds: 0, signal: soon() })).rejects.toMatchObject({ code: "not_found" });
    // Pressed while the dry run that comes first has requests under way, and then in force.
    const { phase, command } = await benchOn(cluster, api, own).run(definition, run.id);
    expect([phase, command]).toContainEqual(expect.stringMatching(/^paused?$/));
    await resumeRewrite(own, name, run.id, { settleSeconds: 0, signal: soon() });
    expect((await benchOn(cluster, api, own).run(definition, run.id)).endedAt).toBeNull();

    await expect
      .poll(() =>
        benchOn(cluster, api, others)
          .run(definition, run.id)
          .then(
            ({ id }) => id,
            () => null,
          ),
      )
      .toBe(run.id);
    expect(await pauseRewrite(others, name, run.id, soon())).toMatchObject({ id: run.id });
    const cancelled = { id: run.id, phase: "cancelled", statusReason: `Cancelled by ${other.name}.` };
    expect(await cancelRewrite(others, name, run.id, soon())).toMatchObject(cancelled);
    expect((await bench.storedAs(definition)).v1beta1).toBeGreaterThan(0);
  });

  // Without ofDefinition (crd-from-json.ts), the copy shows there, and whoever may read both gets what it says of the run.
  test("is not found at another definition to which its record was copied", async () => {
    const [definition, mine] = [await bench.stale(60), await bench.stale(1)];
    const { id } = await bench.start(definition, { acceptUnseen: true, maxPerSecond: 1 });
    await bench.rewritten(definition, id, 1);
    const others = await connectAs((await restrictedUser(api, [...mayRead, mayPatch(mine)])).token);
    const said: (string | null)[] = [];
    const unsubscribe = fleetOf(others).subscribe((event) => {
      if (event.event === "run" && event.data.crd === definition.name) said.push(event.data.statusReason);
    });
    await fleetOf(others).listed(soon());
    const copied = (await recordedRuns(definition)).map((run) => ({ ...run, statusReason: FORGED }));
    await writeRuns(mine, [...copied, sampleRun({ id: "own", crd: mine.name, phase: "succeeded" })]);
    await expect.poll(() => isKnown(others, mine, "own")).toBe(true);
    const unknown = { code: "not_found", message: `${mine.name} has no rewrite ${id}.` };
    await expect(pauseRewrite(others, mine.name, id, soon())).rejects.toMatchObject(unknown);
    await expect(changeRewrite(others, mine.name, id, { maxPerSecond: 2, signal: soon() })).rejects.toMatchObject(unknown);
    await expect(resumeRewrite(others, mine.name, id, { settleSeconds: 0, signal: soon() })).rejects.toMatchObject(unknown);
    await expect(cancelRewrite(others, mine.name, id, soon())).rejects.toMatchObject(unknown);
    const now = await bench.run(definition, id);
    expect([now.phase, now.maxPerSecond]).toEqual(["rewriting", 1]);
    expect(said).not.toContain(FORGED);
    unsubscribe();
    await cancelRewrite(bench.connection, definition.name, id, soon());
  });

  // Without crd in runKeyText (run-key.ts), all four obey.
  test("does not obey at another definition whose record was made to have its id", async () => {
    const [definition, mine] = [await bench.stale(60), await bench.stale(1)];
    const { id } = await bench.start(definition, { acceptUnseen: true, maxPerSecond: 1 });
    await bench.rewritten(definition, id, 1);
    const others = await connectAs((await restrictedUser(api, [...mayRead, mayPatch(mine)])).token);
    await writeRuns(mine, await copiedRuns(definition, mine));
    await expect.poll(() => isKnown(others, mine, id)).toBe(true);
    const conflict = { code: "conflict" };
    await expect(pauseRewrite(others, mine.name, id, soon())).rejects.toMatchObject(conflict);
    await expect(changeRewrite(others, mine.name, id, { maxPerSecond: 2, signal: soon() })).rejects.toMatchObject(conflict);
    await expect(resumeRewrite(others, mine.name, id, { settleSeconds: 0, signal: soon() })).rejects.toMatchObject(conflict);
    expect(await cancelRewrite(others, mine.name, id, soon())).toMatchObject({ crd: mine.name, phase: "cancelled" });
    const now = await bench.run(definition, id);
    expect([now.phase, now.maxPerSecond]).toEqual(["rewriting", 1]);
    await cancelRewrite(bench.connection, definition.name, id, soon());
  });

  // Without crd in runKeyText (run-key.ts), its owner's resume is refused, and a pause and a cancel meet the other one.
  test("obeys its owner although somebody has copied its id to another definition and resumed it there first", async () => {
    const [definition, mine] = [await bench.stale(60), await bench.stale(60)];
    const own = await connectAs((await restrictedUser(api, mayRewrite(definition))).token);
    const others = await connectAs((await restrictedUser(api, [...mayRead, mayPatch(mine), mayWrite(mine)])).token);
    const ownBench = benchOn(cluster, api, own);
    const { id } = await ownBench.start(definition, { acceptUnseen: true, maxPerSecond: 1 });
    await ownBench.rewritten(definition, id, 1);
    await stopAllRuns();
    await writeRuns(mine, await copiedRuns(definition, mine));
    await expect.poll(() => isKnown(others, mine, id)).toBe(true);
    const again = () => ({ acceptUnseen: true, settleSeconds: 0, signal: soon() });
    await resumeRewrite(others, mine.name, id, again());
    expect(await resumeRewrite(own, definition.name, id, again())).toMatchObject({ id, crd: definition.name, phase: "settling" });
    await pauseRewrite(own, definition.name, id, soon());
    await expect.poll(() => ownBench.run(definition, id)).toMatchObject({ phase: "paused" });
    expect((await benchOn(cluster, api, others).run(mine, id)).phase).not.toBe("paused");
    const cancelled = { crd: definition.name, phase: "cancelled", statusReason: "Cancelled." };
    expect(await cancelRewrite(own, definition.name, id, soon())).toMatchObject(cancelled);
    expect((await benchOn(cluster, api, others).run(mine, id)).endedAt).toBeNull();
    await cancelRewrite(others, mine.name, id, soon());
  });

  // Without Fleet.refused it stays paused until its next renewal, and no watch tells it of a change of the spec any more.
  test("ends at once when the cluster rejects the token on another request, even while paused", async () => {
    const definition = await bench.stale(20);
    const owner = await restrictedUser(api, mayRewrite(definition));
    const connection = await connectAs(owner.token);
    const { id } = await benchOn(cluster, api, connection).start(definition, { acceptUnseen: true, maxPerSecond: 1 });
    await pauseRewrite(connection, definition.name, id, soon());
    // Of this one request: the run itself would not learn of it.
    const refusal = new AppError("unauthenticated", "The token is over.", { nextStep: "Sign in.", details: { signIn: true } });
    forgetRefused(connection, refusal);
    await expect.poll(() => controlOf({ crd: definition.name, id }), { timeout: 10_000 }).toBeNull();
    const end = { phase: "interrupted", statusReason: expect.stringContaining("The token is over.") };
    await expect.poll(() => bench.run(definition, id)).toMatchObject(end);
  });
});

test("users can neither see nor end each other's dry runs", async () => {
  const definition = await bench.stale(5);
  const [owner, other] = [await restrictedUser(api, mayRewrite(definition)), await restrictedUser(api, mayRewrite(definition))];
  const [own, others] = [await connectAs(owner.token), await connectAs(other.token)];
  const { id } = await startDryRun(own, definition.name, { signal: soon() });
  expect(listDryRuns(own.audience, definition.name)).toMatchObject([{ id, startedBy: owner.name }]);
  expect(listDryRuns(others.audience, definition.name)).toEqual([]);
  expect(() => findDryRun(others.audience, definition.name, id)).toThrow(expect.objectContaining({ code: "not_found" }));
});

// Cleaning took the refusal for an API server that would grant it soon, and waited for ten minutes without a word.
test("cleaning by a user who may not read the definition alone ends at once, and names the right", async () => {
  const definition = await bench.stale(3);
  const user = await restrictedUser(api, [
    { ...crds, verbs: ["list", "watch", "patch"] },
    { apiGroups: [definition.group], resources: [definition.plural], verbs: ["get", "list", "patch"] },
  ]);
  const connection = await connectAs(user.token);
  const { crd } = await readCrd(bench.connection, definition.name, soon());
  expect((await readRights(connection, crd, soon())).missing.clean).toMatchObject([{ verb: "get", resource: "customresourcedefinitions" }]);
  const cleaned = Array.fromAsync(cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, soon()));
  await expect(cleaned).rejects.toMatchObject({ message: expect.stringContaining("customresourcedefinitions") });
});

// Begun before the first write (cleaningHere), it held up everyone's changes of the definition, for as long as it was repeated.
test("cleaning by a user who may only read the objects holds up no change of the definition", async () => {
  const definition = await bench.stale(3);
  const objects = { apiGroups: [definition.group], resources: [definition.plural], verbs: ["get", "list"] };
  const connection = await connectAs((await restrictedUser(api, [...mayRead, objects])).token);
  const { crd } = await readCrd(bench.connection, definition.name, soon());
  let isOver = false;
  const cleaned = Array.fromAsync(cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, soon())).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    expect(() => refuseWhileCleaning(bench.connection, crd)).not.toThrow();
    await sleep(1, soon());
  }
  expect((await cleaned).at(-1)).toMatchObject({ complete: true, cleaned: 0, rejected: 3, rejections: [{ reason: "Forbidden" }] });
});

// Without mayPatchIn (clean-objects.ts) each of a million objects is denied, and nobody else has that place meanwhile. If it ended the
// cleaning, whoever may patch those of one namespace could clean none of them.
test("cleaning by a user who may patch the objects of one namespace cleans these, and soon leaves the others alone", async () => {
  const DENIED = 150;
  const definition = await bench.stale(DENIED);
  const namespace = `team-${definition.group.split(".")[0]}`;
  await api.create("/api/v1/namespaces", { metadata: { name: namespace } });
  onTestFinished(async () => void (await api.delete(`/api/v1/namespaces/${namespace}`)));
  const object = { apiVersion: `${definition.group}/v1beta1`, kind: "Widget", metadata: { name: "own", namespace }, spec: {} };
  await api.create(definition.path("v1beta1", { namespace, name: "" }), object);
  const objects = { apiGroups: [definition.group], resources: [definition.plural] };
  const user = await restrictedUser(api, [...mayRead, { ...objects, verbs: ["get", "list"] }]);
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  await api.create(`${rbac}/roles`, { metadata: { name: "own" }, rules: [{ ...objects, verbs: ["patch"] }] });
  await api.create(`${rbac}/rolebindings`, {
    metadata: { name: "own" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "own" },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: user.name }],
  });
  const connection = await connectAs(user.token);
  const right = { verb: "patch", group: definition.group, resource: definition.plural, namespace } as const;
  await expect.poll(async () => (await mayI(connection, right, soon())).allowed).toBe(true);
  const { crd } = await readCrd(bench.connection, definition.name, soon());
  const states = await Array.fromAsync(cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, soon()));
  expect(states.at(-1)).toMatchObject({ complete: true, cleaned: 1, rejected: DENIED });
  const left = states.at(-1)?.rejections.find(({ message }) => message.includes("of its namespace"));
  expect(left).toMatchObject({ reason: "Forbidden" });
  // Besides the first fifty, those that were at work.
  expect(left?.count).toBeGreaterThanOrEqual(DENIED - 50 - 12);
});

test("YAML from a user who may not patch the definition is not even read", async () => {
  const definition = await bench.define(beforeFlip);
  const connection = await connectAs((await restrictedUser(api, mayRead)).token);
  await expect(putBackVersion(connection, definition.name, "v2", { yaml: "not: [YAML" }, soon())).rejects.toMatchObject({
    code: "forbidden",
    message: "You can't patch the definition, so you can't add a version.",
  });
});
