import { expect, onTestFinished, test } from "vitest";
import { ApiError } from "#lib/local-cluster/api-client.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { etcdDifferences } from "#lib/rewrite/testing/etcd/etcd-differences.ts";
import { removeNotesByPolicy, servesMutatingPolicies } from "#lib/rewrite/testing/webhooks/notes-policy.ts";

// Without a conversion webhook, a dry run only reads at the versions beside the storage version: the rewrite writes at none of them.

const bench = await openTestBench();
const { api, cluster, define, dryRun, rewrite } = bench;

const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
const POLICIES = `${ADMISSION}/validatingadmissionpolicies`;
const BINDINGS = `${ADMISSION}/validatingadmissionpolicybindings`;
const OBJECTS = 3;
const size = { type: "integer" };
const string = { type: "string" };

/** Objects that were created at v1, the storage version. */
async function current(
  old: Record<string, object>,
  now: Record<string, object>,
  spec?: (index: number) => object,
): Promise<SampleDefinition> {
  const versions: SampleVersion[] = [
    { name: "v1", storage: true, properties: now },
    { name: "v1beta1", properties: old },
  ];
  const definition = await define(versions);
  await definition.createObjects("v1", OBJECTS, spec);
  return definition;
}

/** Resolves once a dry run of an update at v1beta1 is answered like this. */
async function untilAt(definition: SampleDefinition, isSo: (answer: object) => boolean): Promise<void> {
  const path = `${definition.path("v1beta1", { name: objectName(0) })}?dryRun=All`;
  const answer = () => api.mergePatch(path, {}).then(isSo, (error: unknown) => error instanceof ApiError && isSo(error));
  await expect.poll(answer, { timeout: 30_000 }).toBe(true);
}

// Without compareByReading (try-object.ts) the losses are unknown for good, and only a rewrite that accepts them unseen could go on.
test("a policy that denies updates at an older version hides no losses", async () => {
  const definition = await current({ size, note: string }, { size });
  const metadata = { name: `frozen-${definition.group}` };
  const rule = { apiGroups: [definition.group], apiVersions: ["v1beta1"], operations: ["UPDATE"], resources: [definition.plural] };
  const matchConstraints = { matchPolicy: "Exact", resourceRules: [rule] };
  await api.create(POLICIES, { metadata, spec: { matchConstraints, validations: [{ expression: "false", message: "use v1" }] } });
  onTestFinished(async () => void (await api.delete(`${POLICIES}/${metadata.name}`)));
  await api.create(BINDINGS, { metadata, spec: { policyName: metadata.name, validationActions: ["Deny"] } });
  onTestFinished(async () => void (await api.delete(`${BINDINGS}/${metadata.name}`)));
  await untilAt(definition, (answer) => answer instanceof Error && answer.message.includes("use v1"));
  expect(await dryRun(definition)).toMatchObject({ lossesKnown: true, losses: [], dryRun: { checked: OBJECTS, wouldPass: OBJECTS } });
});

test("what a policy changes only at an older version isn't told as a change", async (context) => {
  if (!(await servesMutatingPolicies(api))) return context.skip();
  const definition = await current({ size, note: string, more: string }, { size, note: string }, (index) => ({
    size: index,
    note: "precious",
  }));
  const rule = { apiGroups: [definition.group], apiVersions: ["v1beta1"], operations: ["UPDATE"], resources: [definition.plural] };
  await removeNotesByPolicy(api, definition, { matching: { matchPolicy: "Exact", resourceRules: [rule] } });
  await untilAt(definition, (answer) => !JSON.stringify(answer).includes("precious"));
  expect(await dryRun(definition)).toMatchObject({ lossesKnown: true, losses: [] });
});

test("a default that only an older version has isn't told as added", async () => {
  const mode = { ...string, default: "auto" };
  const definition = await current({ size, mode }, { size, mode: string });
  expect(await dryRun(definition)).toMatchObject({ lossesKnown: true, losses: [] });
  const before = await definition.storedValues(cluster.etcd);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const after = await definition.storedValues(cluster.etcd);
  expect(etcdDifferences(before, after)).toEqual({ dropped: {}, added: {}, unowned: {} });
});

test("what is stored at an older version, and the storage version drops, is told with its value as before", async () => {
  const spec = (index: number) => ({ size: index, note: "precious" });
  const versions = (storage: string): SampleVersion[] => [
    { name: "v1", storage: storage === "v1", properties: { size } },
    { name: "v1beta1", storage: storage === "v1beta1", properties: { size, note: string } },
  ];
  const definition = await bench.stale(OBJECTS, { spec, versions: { before: versions("v1beta1"), after: versions("v1") } });
  const examples = expect.arrayContaining([expect.objectContaining({ version: "v1beta1", before: '"precious"' })]);
  const { losses } = await dryRun(definition);
  expect(losses).toMatchObject([{ kind: "dropped", path: "spec.note", objects: OBJECTS, examples }]);
});
