import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { olderRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { type FaultBench, faultTest, patchOf, underFaults } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip, beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { type BreakableConversion, breakableConversion, type ConversionFault } from "#lib/rewrite/testing/webhooks/breakable-conversion.ts";

const OBJECTS = 12;
/** A webhook's refusal counts after ten seconds (object-failures.ts); other faults must not count by then. */
const BROKEN_FOR_MS = 12_000;
const LONG = { timeout: 200_000, interval: 100 };

/** Each with the API server's message in 1.36.3: apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go. */
const FAULTS: [ConversionFault, RegExp][] = [
  [{ kind: "refuses" }, /failed: Post "https.*connection refused/],
  // A request that takes more than one such call runs out of its own time first.
  [{ kind: "hangs" }, /failed: Post "https.*(Client\.Timeout|context deadline) exceeded|Timeout: request did not complete within/],
  // Each call ends in time, but a request makes more calls than its own time allows for.
  [{ kind: "delays", ms: 12_000 }, /can't respond right now: Timeout: request did not complete within/],
  [{ kind: "wrong uid" }, /failed: expected response\.uid="[^"]+", got "somebody-elses"/],
  [{ kind: "HTTP 500" }, /failed: an error on the server \("out of memory"\) has prevented the request from succeeding/],
  [{ kind: "broken JSON" }, /failed: couldn't get version\/kind; json parse error: /],
  [{ kind: "too few objects" }, /returned \d+ objects, expected \d+/],
  [{ kind: "fails", message: null }, /failed: response\.result\.status was 'Failed', not 'Success'/],
  [changing((metadata) => ({ ...metadata, name: "another" })), /returned invalid .*object.*: must have the same name: /],
  [changing((metadata) => ({ ...metadata, uid: "another" })), /returned invalid .*object.*: must have the same UID: /],
  [changing((metadata) => ({ ...metadata, labels: { "no label": "x" } })), /returned invalid metadata.*: metadata\.labels: /],
  [{ kind: "changes", change: (object) => ({ ...object, kind: "Gadget" }) }, /invalid kind \(expected Widget, received Gadget\)/],
  [{ kind: "changes", change: (object) => ({ ...object, apiVersion: "example.com/v3" }) }, /invalid groupVersion \(expected /],
];

const brokenForAll = (bench: FaultBench, since: "mid-run" | "before") =>
  Promise.all(FAULTS.map(([fault, cause]) => breakAndHeal(bench, since, fault, cause)));
const ENDS_PROVEN = "the run waits and says why; once healed, it ends proven";

// With every failed conversion as a refusal (isConversionRefusal) all objects are rejected after ten seconds; without
// restoreOwnership (end-of-write.ts) the API server has emptied managedFields of what it could not convert.
faultTest(`a conversion webhook that is broken for all, before: ${ENDS_PROVEN}`, async (bench) => {
  await brokenForAll(bench, "before");
});

// From Kubernetes 1.37 on, patches of objects that the API server had converted before succeed all the same, with their managedFields.
test(`a conversion webhook that is broken for all, mid-run: ${ENDS_PROVEN}`, async () => {
  const cluster = await startLocalCluster({ release: olderRelease });
  onTestFinished(() => cluster.stop());
  await underFaults(cluster, async (bench) => {
    await brokenForAll(bench, "mid-run");
  });
});

async function breakAndHeal(bench: FaultBench, since: "mid-run" | "before", fault: ConversionFault, cause: RegExp): Promise<void> {
  const { cluster, connection, proxy, start, run, endOf, storedAs, flip } = bench;
  const webhook = await breakableConversion();
  const definition = await withMetadata(bench, webhook);
  const before = await definition.storedValues(cluster.etcd);
  if (since === "before") webhook.break(fault);
  await flip(definition, afterFlip, webhook.conversion);
  const held = proxy.hold(patchOf(definition, objectName(6)), "before");
  const { id } = await start(definition, { acceptUnseen: since === "before" });
  if (since === "mid-run") {
    await held.reached;
    webhook.break(fault);
  }
  held.release();

  await expect.poll(async () => (await run(definition, id)).statusReason ?? "", LONG).toMatch(cause);
  await expect.poll(() => failingForMs(bench, definition), LONG).toBeGreaterThan(BROKEN_FOR_MS);
  expect(await run(definition, id), fault.kind).toMatchObject({ phase: "rewriting", counts: { rejected: 0 } });
  await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toMatchObject({ code: "conflict" });
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);

  await webhook.heal();
  const end = await endOf(definition, id);
  expect(end, fault.kind).toMatchObject({ phase: "succeeded", counts: { total: OBJECTS, rewritten: OBJECTS, rejected: 0 } });
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
  for (const [name, { text }] of await definition.storedValues(cluster.etcd)) {
    expect(text.replace(`${definition.group}/v1"`, `${definition.group}/v1beta1"`), fault.kind).toBe(before.get(name)?.text);
  }
  const { proof } = await readDetail(connection, definition.name, soon());
  expect(proof).toMatchObject({ runId: id, objects: OBJECTS, invalidBecause: null });
}

/** Between the first and the last request for its objects that failed, by the proxy's clock. */
function failingForMs({ proxy }: FaultBench, { group }: SampleDefinition): number {
  const failed = proxy.seen.filter(({ path, status }) => path.startsWith(`/apis/${group}/`) && (status ?? 0) >= 429);
  return (failed.at(-1)?.answeredAt ?? 0) - (failed[0]?.answeredAt ?? 0);
}

/** Objects at v1beta1 with all that a rewrite must leave alone. */
async function withMetadata({ api, define }: FaultBench, webhook: BreakableConversion): Promise<SampleDefinition> {
  const definition = await define(beforeFlip);
  await definition.createObjects("v1beta1", OBJECTS);
  const names = Array.from({ length: OBJECTS }, (_, index) => objectName(index));
  const patchAll = (metadataOf: (name: string) => object) =>
    Promise.all(names.map((name) => api.mergePatch(definition.path("v1beta1", { name }), { metadata: metadataOf(name) })));
  await patchAll((name) => ({
    labels: { "example.com/of": name },
    annotations: { "example.com/note": `“${name}” \u2028` },
    finalizers: ["example.com/hold"],
    ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name, uid: randomUUID() }],
  }));
  onTestFinished(async () => {
    await webhook.heal();
    await patchAll(() => ({ finalizers: null }));
  });
  return definition;
}

function changing(change: (metadata: { name: string }) => object): ConversionFault {
  return { kind: "changes", change: (object) => ({ ...object, metadata: change(object.metadata) }) };
}
