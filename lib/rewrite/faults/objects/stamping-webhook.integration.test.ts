import { expect, onTestFinished, test } from "vitest";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { reviewServer, sendJson } from "#lib/rewrite/testing/webhooks/webhook-server.ts";

const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
const OBJECTS = 3;
const bench = await openTestBench();
const { api, stale, rewrite, storedAs } = bench;
const everyObject = { verify: "every-object", acceptUnseen: true } as const;

interface Stamped {
  spec?: { stamp?: string };
}

/** Registers a mutating webhook for updates of the objects, which answers with what `mutate` returns. Returns what removes it. */
async function mutateUpdates(definition: SampleDefinition, mutate: () => object): Promise<() => Promise<void>> {
  const { clientConfig } = await reviewServer(({ apiVersion, kind, request }, response) =>
    sendJson(response, { apiVersion, kind, response: { uid: request.uid, allowed: true, ...mutate() } }),
  );
  const rule = { apiGroups: [definition.group], apiVersions: ["*"], operations: ["UPDATE"], resources: [definition.plural], scope: "*" };
  const webhook = { name: `stamps.${definition.group}`, clientConfig, sideEffects: "None", rules: [rule], admissionReviewVersions: ["v1"] };
  await api.create(CONFIGURATIONS, { metadata: { name: definition.name }, webhooks: [webhook] });
  const end = once(() => api.delete(`${CONFIGURATIONS}/${definition.name}`));
  onTestFinished(end);
  return end;
}

/** A mutating webhook that gives each object another stamp with each update. In force when this returns. Returns what ends it. */
async function stampUpdates(definition: SampleDefinition): Promise<() => Promise<void>> {
  let stamps = 0;
  const end = await mutateUpdates(definition, () => {
    stamps += 1;
    const patch = Buffer.from(JSON.stringify([{ op: "add", path: "/spec/stamp", value: `s${stamps}` }])).toString("base64");
    return { patchType: "JSONPatch", patch };
  });
  await expect.poll(() => tried(api, definition), { timeout: 30_000 }).not.toBe(await tried(api, definition));
  return async () => {
    await end();
    const last = () => stamps;
    const called = async () => {
      const before = last();
      await tried(api, definition);
      return last() > before;
    };
    await expect.poll(called, { timeout: 30_000 }).toBe(false);
  };
}

function once(work: () => Promise<unknown>): () => Promise<void> {
  let done: Promise<unknown> | null = null;
  return async () => {
    done ??= work();
    await done;
  };
}

async function tried(client: ApiClient, definition: SampleDefinition): Promise<string | undefined> {
  const answer = await client.mergePatch(`${definition.path("v1", { name: objectName(0) })}?dryRun=All`, {});
  return (answer as Stamped).spec?.stamp;
}

// Without changesAgain (changes-again.ts) it makes six passes and calls what admission changed objects "below the settle point".
test("a webhook that stamps every update: the run says so after one pass, and without the webhook it is proven", async () => {
  const definition = await stale(OBJECTS);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const end = await stampUpdates(definition);
  const run = await rewrite(definition, everyObject);
  expect(run).toMatchObject({
    phase: "failed",
    statusReason: expect.stringMatching(
      /^A mutating webhook or policy changes objects with every update, such as default\/\S+,.* then rewrite again\.$/,
    ),
    counts: { total: OBJECTS, rewritten: OBJECTS, rejected: 0 },
  });
  expect((run.sent?.rewrite ?? 0) + (run.sent?.verify ?? 0)).toBe(OBJECTS);
  await end();
  expect(await rewrite(definition, everyObject)).toMatchObject({ phase: "succeeded", counts: { rewritten: 0, alreadyCurrent: OBJECTS } });
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
});

// What a finalizer holds is patched each time, also above the settle point (isSkipped in pass.ts); see docs/decisions/0054.
test("under such a webhook, an object that a finalizer holds ends a rewrite, which names it", async () => {
  const definition = await stale(OBJECTS);
  const held = definition.path("v1", { name: objectName(1) });
  await api.mergePatch(held, { metadata: { finalizers: ["example.com/hold"] } });
  await api.delete(held);
  const end = await stampUpdates(definition);
  const run = await rewrite(definition, { acceptUnseen: true });
  expect(run).toMatchObject({ phase: "failed", statusReason: expect.stringContaining(`such as default/${objectName(1)},`) });
  await end();
  await api.mergePatch(held, { metadata: { finalizers: null } });
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
});

// Without the resourceVersions (changes-again.ts) it blames the webhook for the other client's write, and proves nothing.
faultTest("another client's write is not taken for a harmless webhook's", async ({ proxy, stale, start, endOf, rewrite }) => {
  const definition = await stale(OBJECTS);
  const old = (await definition.storedValues(bench.cluster.etcd)).get(objectName(0))?.text ?? "";
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await putIntoEtcd(bench.cluster.etcd, `/registry/${definition.group}/widgets/default/${objectName(0)}`, old);
  await mutateUpdates(definition, () => ({}));
  const dryRun = proxy.hold(({ path }) => path.includes(`/${objectName(0)}?`) && path.includes("dryRun=All"), "before");
  const { id } = await start(definition, everyObject);
  await dryRun.reached;
  await api.mergePatch(definition.path("v1", { name: objectName(0) }), { metadata: { labels: { busy: "yes" } } });
  dryRun.release();
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: 1 } });
});
