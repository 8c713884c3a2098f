import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { type Connection, connect } from "#lib/cluster/connection.ts";
import { readCrd } from "#lib/cluster/crds.ts";
import { readDetail } from "#lib/cluster/read-detail.ts";
import { readRun } from "#lib/cluster/read-runs.ts";
import { requestLines } from "#lib/cluster/request.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import type { Run } from "#lib/domain/rewrite.ts";
import { isLive } from "#lib/domain/rewrite.ts";
import { chooseKubeconfig } from "#lib/env.ts";
import { type ApiClient, apiClient } from "#lib/local-cluster/api-client.ts";
import { startConversionWebhook } from "#lib/local-cluster/demo/conversion-webhook.ts";
import { createDefinition, objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "./cancel-rewrite.ts";
import { pruneStoredVersions } from "./prune-stored-versions.ts";
import { restoreStoredVersions } from "./restore-stored-versions.ts";
import { startRewrite } from "./start-rewrite.ts";

const cluster = inject("cluster");
const v1beta1Stored: SampleVersion[] = [{ name: "v1" }, { name: "v1beta1", storage: true }];
const v1Stored: SampleVersion[] = [{ name: "v1", storage: true }, { name: "v1beta1" }];

let api: ApiClient;
let connection: Connection;

beforeAll(async () => {
  chooseKubeconfig(cluster.kubeconfig);
  api = apiClient(cluster);
  connection = await connect(cluster.context);
});
afterAll(() => api.close());

/** A definition whose objects were created at v1beta1 before v1 became the storage version. */
async function definitionWithStaleObjects(
  count: number,
  spec?: (index: number) => object,
  versions = { before: v1beta1Stored, after: v1Stored },
) {
  const definition = await createDefinition(api, versions.before);
  onTestFinished(() => definition.remove());
  await definition.createObjects("v1beta1", count, spec);
  await definition.setVersions(versions.after);
  return definition;
}

async function rewriteToEnd(definition: SampleDefinition, options: { verify?: Run["verify"]; settleSeconds?: number } = {}): Promise<Run> {
  const signal = AbortSignal.timeout(100_000);
  const { id } = await startRewrite(connection, definition.name, { settleSeconds: 2, ...options, signal });
  return endOf(definition, id);
}

async function endOf(definition: SampleDefinition, id: string): Promise<Run> {
  const run = () => readRun(connection, definition.name, id, AbortSignal.timeout(30_000));
  await expect.poll(async () => isLive(await run()), { timeout: 100_000, interval: 20 }).toBe(false);
  return run();
}

const soon = () => AbortSignal.timeout(30_000);
const refusal = (code: string) => expect.objectContaining({ code });

describe("a rewrite", () => {
  test("leaves every value in etcd at the storage version, with spec bytes, generation and uid as they were", async () => {
    const definition = await definitionWithStaleObjects(700, (index) => ({
      size: index,
      ratio: 1.5,
      text: `ünïcode “${index}” \u2028`,
      nested: { list: [null, { deep: true }], empty: {} },
    }));
    const before = await definition.storedValues(cluster.etcd);
    const run = await rewriteToEnd(definition);
    const after = await definition.storedValues(cluster.etcd);

    expect(run).toMatchObject({ phase: "succeeded", counts: { total: 700, rewritten: 700, rejected: 0, remaining: 0 } });
    expect(new Set([...before.values()].map((value) => value.apiVersion))).toEqual(new Set([`${definition.group}/v1beta1`]));
    expect(new Set([...after.values()].map((value) => value.apiVersion))).toEqual(new Set([`${definition.group}/v1`]));
    for (const [name, value] of before) {
      expect(after.get(name)).toMatchObject({
        specText: value.specText,
        metadata: { uid: value.metadata.uid, generation: value.metadata.generation },
      });
    }
  });

  test("of a cluster-scoped definition reaches every object, those under deletion too", async () => {
    const definition = await createDefinition(api, v1beta1Stored, { scope: "Cluster" });
    onTestFinished(() => definition.remove());
    await definition.createObjects("v1beta1", 20);
    const held = definition.path("v1beta1", { name: objectName(3) });
    await api.mergePatch(held, { metadata: { finalizers: ["example.com/hold"] } });
    await api.delete(held);
    onTestFinished(async () => void (await api.mergePatch(held, { metadata: { finalizers: null } })));
    await definition.setVersions(v1Stored);

    expect(await rewriteToEnd(definition)).toMatchObject({ phase: "succeeded", counts: { rewritten: 20 } });
    const versions = [...(await definition.storedValues(cluster.etcd)).values()].map((value) => value.apiVersion);
    expect(new Set(versions)).toEqual(new Set([`${definition.group}/v1`]));
  });

  test("patches nothing above the settle point when it is run again, and proves it anew", async () => {
    const definition = await definitionWithStaleObjects(50);
    const first = await rewriteToEnd(definition);
    const before = await definition.storedValues(cluster.etcd);
    const again = await rewriteToEnd(definition);
    expect(again).toMatchObject({
      phase: "succeeded",
      settleResourceVersion: first.settleResourceVersion,
      counts: { total: 50, rewritten: 0, alreadyCurrent: 50 },
    });
    expect(await definition.storedValues(cluster.etcd)).toEqual(before);
    const detail = await readDetail(connection, definition.name, soon());
    expect(detail.proof).toMatchObject({ runId: again.id, objects: 50, invalidBecause: null });
  });

  test("asked to verify every object patches each once more, although all are above the settle point", async () => {
    const definition = await definitionWithStaleObjects(30);
    expect(await rewriteToEnd(definition, { verify: "every-object" })).toMatchObject({
      phase: "succeeded",
      counts: { total: 30, rewritten: 30 },
    });
    expect((await readDetail(connection, definition.name, soon())).proof).toMatchObject({ verify: "every-object", objects: 30 });
    expect(await patchesOf(definition)).toBe(60);
  });

  test("loses none of 20 writers' increments while it is at work", async () => {
    const definition = await definitionWithStaleObjects(800, () => ({ count: 0 }));
    const stop = new AbortController();
    const acknowledged = new Map<string, number>();
    const writers = Array.from({ length: 20 }, (_, writer) => increment(definition, writer, acknowledged, stop.signal));
    const { id } = await startRewrite(connection, definition.name, { settleSeconds: 0, signal: soon() });
    const sumOf = () => [...acknowledged.values()].reduce((sum, count) => sum + count, 0);
    const run = () => readRun(connection, definition.name, id, soon());
    await expect.poll(async () => (await run()).counts.rewritten, { interval: 10, timeout: 30_000 }).toBeGreaterThan(0);
    const before = sumOf();
    const end = await endOf(definition, id);
    const during = sumOf() - before;
    stop.abort();
    await Promise.all(writers);
    expect(end).toMatchObject({ phase: "succeeded", pausedBecause: null });
    expect(during).toBeGreaterThan(20);
    const stored = await definition.storedValues(cluster.etcd);
    for (const [name, { specText }] of stored) expect(JSON.parse(specText), name).toEqual({ count: acknowledged.get(name) ?? 0 });
  });

  test("names the object that a policy denies, rewrites all others, ends blocked, and the prune is refused", async () => {
    const definition = await definitionWithStaleObjects(40);
    await denyUpdates(definition, objectName(7));
    const run = await rewriteToEnd(definition);
    expect(run).toMatchObject({ phase: "blocked", counts: { total: 40, rewritten: 39, rejected: 1, remaining: 0 } });
    expect(run.rejections).toEqual([
      expect.objectContaining({
        count: 1,
        examples: [{ namespace: "default", name: objectName(7) }],
        message: expect.stringContaining("frozen"),
      }),
    ]);
    const stale = [...(await definition.storedValues(cluster.etcd)).values()].filter((value) => value.apiVersion.endsWith("/v1beta1"));
    expect(stale.map((value) => value.metadata.name)).toEqual([objectName(7)]);
    await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toEqual(refusal("precondition_failed"));
    expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
    expect((await readDetail(connection, definition.name, soon())).state).toBe("blocked");
  });

  test("waits out the settle time after the last change of the spec", async () => {
    const definition = await definitionWithStaleObjects(3);
    const run = await rewriteToEnd(definition, { settleSeconds: 4 });
    const { crd } = await readCrd(connection, definition.name, soon());
    expect(Date.parse(run.settledAt ?? "") - Date.parse(crd.specChangedAt ?? "")).toBeGreaterThanOrEqual(4_000);
  });

  test("refuses a second run and says which one is in the way", async () => {
    const definition = await definitionWithStaleObjects(5);
    const first = await startRewrite(connection, definition.name, { settleSeconds: 60, signal: soon() });
    const second = startRewrite(connection, definition.name, { settleSeconds: 60, signal: soon() });
    await expect(second).rejects.toMatchObject({ code: "conflict", details: { run: { id: first.id } } });
    await cancelRewrite(connection, definition.name, first.id, soon());
  });

  test("started twice at the same moment starts once", async () => {
    const definition = await definitionWithStaleObjects(5);
    const starts = Array.from({ length: 4 }, () => startRewrite(connection, definition.name, { settleSeconds: 60, signal: soon() }));
    const results = await Promise.allSettled(starts);
    const started = results.filter((result) => result.status === "fulfilled");
    expect(started).toHaveLength(1);
    for (const { value } of started) await cancelRewrite(connection, definition.name, value.id, soon());
  });

  test("cancelled stops within a second and leaves no proof", async () => {
    const definition = await definitionWithStaleObjects(2_000);
    const { id } = await startRewrite(connection, definition.name, { settleSeconds: 0, signal: soon() });
    const run = () => readRun(connection, definition.name, id, soon());
    await expect.poll(async () => (await run()).counts.rewritten, { timeout: 30_000, interval: 20 }).toBeGreaterThan(50);
    const pressedAt = performance.now();
    const cancelled = await cancelRewrite(connection, definition.name, id, soon());
    expect(performance.now() - pressedAt).toBeLessThan(1_000);
    expect(cancelled.phase).toBe("cancelled");
    const left = await definition.storedValues(cluster.etcd);
    expect([...left.values()].filter((value) => value.apiVersion.endsWith("/v1beta1")).length).toBeGreaterThan(0);
    const detail = await readDetail(connection, definition.name, soon());
    expect(detail).toMatchObject({ proof: null, state: "needs-rewrite" });
    await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toEqual(refusal("precondition_failed"));
  });

  test("stops at once when the spec changes under it, and proves nothing", async () => {
    const definition = await definitionWithStaleObjects(2_000);
    const { id } = await startRewrite(connection, definition.name, { settleSeconds: 0, signal: soon() });
    const run = () => readRun(connection, definition.name, id, soon());
    await expect.poll(async () => (await run()).counts.rewritten, { timeout: 30_000, interval: 20 }).toBeGreaterThan(50);
    await definition.setVersions(v1beta1Stored);
    const end = await endOf(definition, id);
    expect(end.phase).toBe("failed");
    expect(end.counts.rewritten).toBeLessThan(2_000);
    expect((await readDetail(connection, definition.name, soon())).proof).toBeNull();
  });

  test("never brings a deleted object back, and counts it as gone", async () => {
    const definition = await definitionWithStaleObjects(600);
    const { id } = await startRewrite(connection, definition.name, { settleSeconds: 0, signal: soon() });
    const run = () => readRun(connection, definition.name, id, soon());
    await expect.poll(async () => (await run()).counts.total, { interval: 5, timeout: 30_000 }).not.toBeNull();
    // The last of the first page: they are listed, and their turn is yet to come.
    await Promise.all(Array.from({ length: 100 }, (_, index) => api.delete(definition.path("v1", { name: objectName(499 - index) }))));
    const end = await endOf(definition, id);
    expect(end.phase).toBe("succeeded");
    expect(end.counts.gone).toBeGreaterThan(0);
    expect((await definition.storedValues(cluster.etcd)).size).toBe(500);
  });

  test("waits with the cause on screen while the conversion webhook is away, rejects nothing, and goes on when it is back", async () => {
    const { definition, goAway, comeBack } = await definitionWithWebhook(900);
    const { id } = await startRewrite(connection, definition.name, { settleSeconds: 0, signal: soon() });
    const run = () => readRun(connection, definition.name, id, soon());
    await expect.poll(async () => (await run()).counts.rewritten, { interval: 10, timeout: 30_000 }).toBeGreaterThan(30);
    goAway();
    await expect.poll(async () => (await run()).pausedBecause, { timeout: 60_000 }).toContain("conversion webhook for");
    const waiting = await run();
    expect(waiting).toMatchObject({ phase: "rewriting", counts: { rejected: 0 } });
    expect(waiting.counts.remaining).toBeGreaterThan(0);
    await comeBack();
    expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { total: 900, rewritten: 900, rejected: 0 } });
    const versions = [...(await definition.storedValues(cluster.etcd)).values()].map((value) => value.apiVersion);
    expect(new Set(versions)).toEqual(new Set([`${definition.group}/v1`]));
  });

  test("is refused while the storage version is not served", async () => {
    const definition = await definitionWithStaleObjects(1, undefined, {
      before: v1beta1Stored,
      after: [{ name: "v1", storage: true, served: false }, { name: "v1beta1" }],
    });
    const start = startRewrite(connection, definition.name, { settleSeconds: 0, signal: soon() });
    await expect(start).rejects.toEqual(refusal("precondition_failed"));
    expect((await readDetail(connection, definition.name, soon())).state).toBe("blocked");
  });
});

test("neither a rewrite nor a prune begins while storedVersions names a version that the spec does not have, and each says how to repair it", async () => {
  const definition = await definitionWithStaleObjects(1);
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`;
  await api.mergePatch(path, { status: { storedVersions: ["v9", "v1"] } }, { subresource: "status" });
  const refused = { code: "precondition_failed", nextStep: expect.stringContaining("--subresource=status") };
  await expect(startRewrite(connection, definition.name, { settleSeconds: 0, signal: soon() })).rejects.toMatchObject(refused);
  await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toMatchObject(refused);
  await expect.poll(async () => (await readDetail(connection, definition.name, soon())).state).toBe("blocked");
  await api.mergePatch(path, { status: { storedVersions: ["v1beta1", "v1"] } }, { subresource: "status" });
});

describe("a prune", () => {
  test("after a proof lets the API server drop the old version, and can be undone before", async () => {
    const definition = await definitionWithStaleObjects(10);
    await expect(definition.setVersions([{ name: "v1", storage: true }])).rejects.toThrow(/storedVersions\[0\]: Invalid value: "v1beta1"/);
    await rewriteToEnd(definition);
    const detail = await readDetail(connection, definition.name, soon());
    expect(detail).toMatchObject({ state: "prunable", actions: { prune: { refusal: null } } });

    await pruneStoredVersions(connection, definition.name, definition.name, soon());
    expect((await definition.read()).status.storedVersions).toEqual(["v1"]);
    await restoreStoredVersions(connection, definition.name, ["v1beta1"], soon());
    expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
    await pruneStoredVersions(connection, definition.name, definition.name, soon());

    await definition.setVersions([{ name: "v1", storage: true }]);
    expect((await definition.read()).spec.versions).toHaveLength(1);
    await expect(restoreStoredVersions(connection, definition.name, ["v1beta1"], soon())).rejects.toEqual(refusal("precondition_failed"));
  });

  test("is refused when the definition changed after the proof, and leaves it untouched", async () => {
    const definition = await definitionWithStaleObjects(10);
    await rewriteToEnd(definition);
    await definition.setVersions([
      { name: "v1", storage: true },
      { name: "v1beta1", deprecated: true },
    ]);
    const before = await definition.read();
    await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toMatchObject({
      code: "precondition_failed",
      message: expect.stringContaining("generation"),
      nextStep: expect.stringContaining("again"),
    });
    expect(await definition.read()).toEqual(before);
  });

  test("that the cluster does not allow leaves the undo of the one before it", async () => {
    const definition = await definitionWithStaleObjects(1);
    await rewriteToEnd(definition);
    await pruneStoredVersions(connection, definition.name, definition.name, soon());
    const before = (await readDetail(connection, definition.name, soon())).lastPrune;
    await restoreStoredVersions(connection, definition.name, ["v1beta1"], soon());

    const resources = ["customresourcedefinitions"];
    const user = await restrictedUser(api, [{ apiGroups: ["apiextensions.k8s.io"], resources, verbs: ["get", "list", "watch", "patch"] }]);
    await chooseContexts(cluster, { name: "no status", token: user.token });
    const limited = await connect("no status");
    chooseKubeconfig(cluster.kubeconfig);
    await expect(pruneStoredVersions(limited, definition.name, definition.name, soon())).rejects.toMatchObject({ code: "forbidden" });
    await expect.poll(async () => (await readDetail(limited, definition.name, soon())).lastPrune).toEqual(before);
    expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  });

  test("is refused without a proof, with nothing to prune, and with a wrong confirmation", async () => {
    const definition = await definitionWithStaleObjects(1);
    const prune = (confirm = definition.name) => pruneStoredVersions(connection, definition.name, confirm, soon());
    await expect(prune("widgets")).rejects.toEqual(refusal("invalid_input"));
    await expect(prune()).rejects.toEqual(refusal("precondition_failed"));
    await rewriteToEnd(definition);
    await prune();
    await expect(prune()).rejects.toEqual(refusal("precondition_failed"));
  });
});

/** Increments the counters of every twentieth object in turn until it is stopped, and notes each write that was acknowledged. */
async function increment(
  definition: SampleDefinition,
  writer: number,
  acknowledged: Map<string, number>,
  stop: AbortSignal,
): Promise<void> {
  for (let turn = 0; !stop.aborted; turn += 1) {
    const name = objectName(writer + 20 * (turn % 40));
    const path = definition.path(turn % 2 ? "v1" : "v1beta1", { name });
    const object = await api.get<{ metadata: { name: string; resourceVersion: string }; spec: { count: number } }>(path);
    try {
      await api.request("PUT", path, { ...object, spec: { count: object.spec.count + 1 } });
      acknowledged.set(name, (acknowledged.get(name) ?? 0) + 1);
    } catch (error) {
      // Somebody wrote in between: a careful writer reads again.
      if (!String(error).includes("the object has been modified")) throw error;
    }
  }
}

/** How many patches of its objects the API server has answered. */
async function patchesOf(definition: SampleDefinition): Promise<number> {
  let patches = 0;
  for await (const line of requestLines(connection, { path: "/metrics", accept: "text/plain", signal: soon() })) {
    const isOurs =
      line.startsWith("apiserver_request_total{") &&
      line.includes(`group="${definition.group}"`) &&
      line.includes('dry_run=""') &&
      line.includes('verb="PATCH"');
    if (isOurs) patches += Number(line.split(" ").at(-1));
  }
  return patches;
}

/** A definition that is converted by a real webhook, which can go away and come back. */
async function definitionWithWebhook(count: number) {
  const directory = await mkdtemp(join(tmpdir(), "crdshift-webhook-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  let webhook = await startConversionWebhook(directory);
  onTestFinished(() => webhook.close());
  const definition = await definitionWithStaleObjects(count);
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`;
  await api.mergePatch(path, { spec: { conversion: webhook.conversion } });
  return {
    definition,
    goAway: () => webhook.close(),
    async comeBack() {
      webhook = await startConversionWebhook(directory);
    },
  };
}

async function denyUpdates(definition: SampleDefinition, name: string): Promise<void> {
  const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
  const bindings = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
  const metadata = { name: `frozen-${definition.group}` };
  const matchConstraints = {
    resourceRules: [{ apiGroups: [definition.group], apiVersions: ["*"], operations: ["UPDATE"], resources: [definition.plural] }],
  };
  const validations = [{ expression: `object.metadata.name != "${name}"`, messageExpression: "object.metadata.name + ' is frozen'" }];
  await api.create(policies, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata,
    spec: { matchConstraints, validations },
  });
  await api.create(bindings, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata,
    spec: { policyName: metadata.name, validationActions: ["Deny"] },
  });
  onTestFinished(async () => {
    await api.delete(`${bindings}/${metadata.name}`);
    await api.delete(`${policies}/${metadata.name}`);
  });
  const dryRun = () => api.mergePatch(`${definition.path("v1", { name })}?dryRun=All`, { metadata: { labels: { tried: "yes" } } });
  await expect
    .poll(
      () =>
        dryRun().then(
          () => "allowed",
          () => "denied",
        ),
      { timeout: 30_000 },
    )
    .toBe("denied");
}
