import { expect, test } from "vitest";
import { putIntoEtcd, readEtcd } from "#lib/local-cluster/etcd.ts";
import type { SampleDefinition, SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { relistStoredVersions } from "#lib/rewrite/commands/relist-stored-versions.ts";
import { findDryRun } from "#lib/rewrite/dry-run/dry-runs.ts";
import { startDryRun } from "#lib/rewrite/dry-run/start-dry-run.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

// Rules in CEL that cost too much in total: an older API server took them, and a newer one refuses every change, even of a label.

const { api, cluster, connection, stale, start, rewrite, storedAs } = await openTestBench();
const OBJECTS = 3;
const NAMES = { type: "array", items: { type: "string" } };
const everyPair = { "x-kubernetes-validations": [{ rule: "self.all(x, self.all(y, x != y || x == y))" }] };
const COSTLY = { ...NAMES, ...everyPair };
const versions = (storage: string): SampleVersion[] =>
  ["v1", "v1beta1"].map((name) => ({ name, storage: name === storage, properties: { names: NAMES } }));
const staleNames = () =>
  stale(OBJECTS, { spec: () => ({ names: ["one"] }), versions: { before: versions("v1beta1"), after: versions("v1") } });
const prune = (definition: SampleDefinition) => pruneStoredVersions(connection, definition.name, definition.name, soon());

/** Puts the costly rules into etcd, past validation. */
async function leaveUnchangeable(definition: SampleDefinition): Promise<void> {
  const [entry] = await readEtcd(cluster.etcd, `/registry/apiextensions.k8s.io/customresourcedefinitions/${definition.name}`);
  const text = Buffer.from(entry?.value ?? []).toString("utf8");
  await putIntoEtcd(cluster.etcd, entry?.key ?? "", text.replaceAll(JSON.stringify(NAMES), JSON.stringify(COSTLY)));
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`;
  const label = (value: string) => api.mergePatch(path, { metadata: { labels: { example: value } } });
  await expect(label("one")).rejects.toThrow(/cost total .* exceeds budget/);
}

const refusal = {
  code: "precondition_failed",
  message: expect.stringContaining("refuses every change of"),
  nextStep: expect.stringMatching(
    /^Its validation rules in CEL cost more than the API server allows: .* Apply the definition, then retry\.$/,
  ),
  clusterMessage: expect.stringMatching(/exceeds budget/),
};

// Without asUnchangeable (crds.ts) the answer is the API server's alone, about rules that nobody asked to change.
test("a rewrite of a definition that can't be changed does not begin, and says why", async () => {
  const definition = await staleNames();
  await leaveUnchangeable(definition);
  await expect(start(definition, { acceptUnseen: true })).rejects.toMatchObject(refusal);
  expect(await storedAs(definition)).toEqual({ v1beta1: OBJECTS });
});

// Without precondition_failed in whyUnrecorded (start-dry-run.ts) only the log says so.
test("a dry run of it says that its findings aren't recorded, and why", async () => {
  const definition = await staleNames();
  await leaveUnchangeable(definition);
  const { id } = await startDryRun(connection, definition.name, { signal: soon() });
  const now = () => findDryRun(connection.audience, definition.name, id).current;
  await expect.poll(() => now().phase, { timeout: 60_000 }).toBe("succeeded");
  expect(now().message).toMatch(
    /^These findings couldn't be recorded\. The API server refuses every change of .* exceeds budget.* then retry\.$/s,
  );
});

test("a prune of it is refused for the same reason, and an undo of an earlier one is not", async () => {
  const definition = await staleNames();
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  await prune(definition);
  await leaveUnchangeable(definition);
  await relistStoredVersions(connection, definition.name, ["v1beta1"], soon());
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  await expect(prune(definition)).rejects.toMatchObject(refusal);
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
});
