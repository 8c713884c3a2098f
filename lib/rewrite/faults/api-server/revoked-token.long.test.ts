import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import type { CreatedUser } from "#lib/cluster/testing/create-user.ts";
import type { SeenRequest } from "#lib/cluster/testing/fault-proxy.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { TAKE_OVER_AFTER_MS } from "#lib/domain/rewrite/run.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { type FaultBench, faultTest, patchOf, sentForObjectsOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { benchOn, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const OBJECTS = 60;
const SILENT_AFTER_MS = 1_000;
/** It tries to write the end, with several requests to an API server that may be busy. */
const CANCELLED_WITHIN_MS = 10_000;

// Without the 401 in classifyFailure, the objects are rejected. With another context's connection for the record (update-held.ts), the
// identities differ.
faultTest(
  "a token that is revoked mid-run: it asks to sign in, uses no other, and somebody else can resume what is left",
  async (bench) => {
    const { connection, proxy, stale, endOf, storedAs } = bench;
    const definition = await stale(OBJECTS);
    const user = await restrictedUser(bench.api, rulesFor(definition));
    await chooseContexts(bench.cluster, { name: "revoked", server: proxy.server, token: user.token });
    const theirs = await benchAs(bench, "revoked");
    const before = proxy.seen.length;
    const id = await startAndRevoke(bench, theirs, definition, user);

    const run = () => theirs.run(definition, id);
    await expect.poll(async () => (await run()).statusReason ?? "", { timeout: 60_000, interval: 20 }).toContain("sign in again");
    const refusedAt = proxy.seen.find(({ status }) => status === 401)?.answeredAt ?? Number.NaN;
    expect(performance.now() - refusedAt).toBeLessThan(5_000);
    expect(await run()).toMatchObject({ phase: "rewriting", counts: { rejected: 0 } });

    const pressedAt = performance.now();
    const cancel = cancelRewrite(theirs.connection, definition.name, id, soon());
    await expect(cancel).rejects.toMatchObject({ code: "cluster_unreachable", message: expect.stringContaining("has stopped") });
    expect(performance.now() - pressedAt).toBeLessThan(CANCELLED_WITHIN_MS);
    expect(identities(proxy.seen.slice(before))).toEqual([`Bearer ${user.token}`]);

    // The record still says that it is at work: nobody could write into it.
    const record = await readRecord(definition);
    const [left] = record.runs;
    expect(left).toMatchObject({ id, endedAt: null });
    expect(record.proof).toBeNull();
    await expect.poll(async () => (await bench.run(definition, id)).phase, { timeout: TAKE_OVER_AFTER_MS + 60_000 }).toBe("interrupted");
    const last = proxy.seen.findLast(sentForObjectsOf(definition));
    expect(last?.at).toBeLessThan(pressedAt + SILENT_AFTER_MS);
    await resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
    expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { total: OBJECTS, rejected: 0 } });
    expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
  },
);

// Without renew on a 401 (request.ts) the old token is sent for another minute; without withTokenFile (kubeconfig.ts) none at all.
faultTest("the run continues with a new token in the kubeconfig's tokenFile", async (bench) => {
  const { proxy, stale, storedAs } = bench;
  const definition = await stale(OBJECTS);
  const user = await restrictedUser(bench.api, rulesFor(definition));
  const directory = await mkdtemp(join(tmpdir(), "crdshift-token-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const tokenFile = join(directory, "token");
  await writeFile(tokenFile, `${user.token}\n`);
  await chooseContexts(bench.cluster, { name: "token in a file", server: proxy.server, tokenFile });
  const theirs = await benchAs(bench, "token in a file");
  const before = proxy.seen.length;
  const id = await startAndRevoke(bench, theirs, definition, user);
  await expect.poll(async () => (await theirs.run(definition, id)).statusReason ?? "", { timeout: 60_000 }).toContain("sign in again");

  const token = await user.renew();
  await writeFile(tokenFile, `${token}\n`);
  const renewedAt = performance.now();
  expect(await theirs.endOf(definition, id)).toMatchObject({
    phase: "succeeded",
    counts: { total: OBJECTS, rewritten: OBJECTS, rejected: 0 },
  });
  expect(performance.now() - renewedAt).toBeLessThan(30_000);
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
  expect(identities(proxy.seen.slice(before))).toEqual([`Bearer ${user.token}`, `Bearer ${token}`]);
});

/** Whether it is reachable at all crdshift asks without credentials. */
function identities(seen: readonly SeenRequest[]): (string | undefined)[] {
  return [...new Set(seen.filter(({ path }) => path !== "/livez").map(({ headers }) => headers.authorization))];
}

/** Crdshift in another context, through the proxy as well. */
async function benchAs({ cluster, api }: FaultBench, context: string): Promise<TestBench> {
  const connection = await connect(context);
  onTestFinished(() => fleetOf(connection).stop());
  return benchOn(cluster, api, connection);
}

/** The id of a run whose token was revoked while the requests for half of its objects were held, and which then met that. */
async function startAndRevoke({ proxy }: FaultBench, theirs: TestBench, definition: SampleDefinition, user: CreatedUser): Promise<string> {
  const late = definition.path("v1", { name: objectName(OBJECTS / 2) });
  const held = proxy.hold((request) => patchOf(definition)(request) && request.path > late, "before", OBJECTS);
  const { id } = await theirs.start(definition, { acceptUnseen: true });
  await held.reached;
  await user.revoke();
  held.release();
  return id;
}

function rulesFor({ group, plural }: SampleDefinition): object[] {
  const resources = ["customresourcedefinitions", "customresourcedefinitions/status"];
  const verbs = ["get", "list", "watch", "patch"];
  return [
    { apiGroups: ["apiextensions.k8s.io"], resources, verbs },
    { apiGroups: [group], resources: [plural, `${plural}/status`], verbs },
  ];
}
