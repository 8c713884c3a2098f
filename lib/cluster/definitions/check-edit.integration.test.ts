import { expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { type FaultProxy, faultProxy, type Match } from "#lib/cluster/testing/fault-proxy.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { putIntoEtcd, readEtcd } from "#lib/local-cluster/etcd.ts";
import { createDefinition, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { checkEdit, versionToTellOf } from "./check-edit.ts";

const { api, cluster, connection, define } = await openTestBench();
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
const check = async (definition: SampleDefinition, on = connection) =>
  checkEdit(on, definition.name, await versionToTellOf(on, soon()), soon());
const patch = ({ name }: SampleDefinition, change: object) => api.mergePatch(`${DEFINITIONS}/${name}`, change);

/** The definition in etcd: its key, its text and when it was last written. */
async function stored({ name }: SampleDefinition) {
  const [entry] = await readEtcd(cluster.etcd, `/registry/apiextensions.k8s.io/customresourcedefinitions/${name}`);
  if (!entry) throw new Error(`etcd has no ${name}.`);
  return { key: entry.key, text: Buffer.from(entry.value).toString("utf8"), modRevision: entry.modRevision };
}

/** Changes it in etcd, past validation, which is how another API server may have left it. */
async function leave(definition: SampleDefinition, change: (text: string) => string): Promise<void> {
  const { key, text } = await stored(definition);
  const changed = change(text);
  expect(changed).not.toBe(text);
  await putIntoEtcd(cluster.etcd, key, changed);
}

const NAMES = { type: "array", items: { type: "string" } };
const names = { names: NAMES };
const everyPair = { "x-kubernetes-validations": [{ rule: "self.all(x, self.all(y, x != y || x == y))" }] };
/** More than a rule may cost, and less than all rules of a schema may. */
const costlyRule = { type: "array", maxItems: 500, items: { type: "string", maxLength: 100 }, ...everyPair };
/** More than all rules of a schema may cost. */
const costlySchema = { ...NAMES, ...everyPair };
const leaveSchema = (definition: SampleDefinition, schema: object) =>
  leave(definition, (text) => text.replaceAll(JSON.stringify(NAMES), JSON.stringify(schema)));

const OTHER = { name: "v1beta1" };

test("a rule that costs too much is found before an edit of any description is refused, while a flag can still change", async () => {
  const definition = await define([OTHER, { name: "v1", storage: true, properties: names }]);
  await leaveSchema(definition, costlyRule);
  const versions = (await definition.read()).spec.versions;
  await patch(definition, { spec: { versions: versions.map((version) => ({ ...version, deprecated: version.name === "v1beta1" })) } });

  const before = await stored(definition);
  const { metadata } = await definition.read();
  expect(await check(definition)).toMatchObject({
    ...{ crd: definition.name, generation: metadata.generation, serverVersion: expect.stringMatching(/^v1\.\d+\./) },
    result: {
      ...{ verdict: "refused", isBudget: true },
      causes: [
        {
          version: "v1",
          field: expect.stringMatching(/^spec\.versions\[1\]\.schema\.openAPIV3Schema\.properties\[spec\]\.properties\[names\]/),
          message: expect.stringContaining("estimated rule cost exceeds budget"),
        },
      ],
    },
  });
  expect(await stored(definition)).toEqual(before);
  expect((await definition.read()).metadata.resourceVersion).toBe(metadata.resourceVersion);

  const described = versions.map((version) => ({ ...version, schema: { openAPIV3Schema: { type: "object", description: "New." } } }));
  await patch(definition, { spec: { versions: described.map((version) => ({ ...version, deprecated: false })) } });
  expect(await check(definition)).toMatchObject({ result: { verdict: "accepted" } });
});

test("rules that cost too much in total are found in the schema that all versions share", async () => {
  const definition = await define([
    { ...OTHER, properties: names },
    { name: "v1", storage: true, properties: names },
  ]);
  await leaveSchema(definition, costlySchema);
  const { result } = await check(definition);
  expect(result).toMatchObject({ verdict: "refused", isBudget: true });
  const causes = result.verdict === "refused" ? result.causes : [];
  expect(causes.map(({ version, field }) => `${version} ${field}`)).toEqual([
    expect.stringMatching(/^null spec\.validation\..*\.rule$/),
    expect.stringMatching(/^null spec\.validation\..*\.rule$/),
    "null spec.validation.openAPIV3Schema",
  ]);
  await expect(patch(definition, { metadata: { labels: { example: "label" } } })).rejects.toThrow(/cost total .* exceeds budget/);
});

test("a usual definition's next edit is accepted, and nothing is written", async () => {
  const definition = await define([{ name: "v1", storage: true, properties: names, hasStatus: true }, OTHER]);
  const before = await stored(definition);
  expect(await check(definition)).toMatchObject({ result: { verdict: "accepted" } });
  expect(await stored(definition)).toEqual(before);
});

test("a refusal for another reason is none of the budget", async () => {
  const definition = await define([{ name: "v1", storage: true }]);
  await leave(definition, (text) => text.replace('"storedVersions":["v1"]', '"storedVersions":["v1","v1alpha1"]'));
  expect(await check(definition)).toMatchObject({
    result: { verdict: "refused", isBudget: false, causes: [{ version: null, field: "status.storedVersions[1]" }] },
  });
});

test("a refusal by an admission policy is a refusal, in its words", async () => {
  const definition = await define([{ name: "v1", storage: true }]);
  const [policies, bindings] = [`${ADMISSION}/validatingadmissionpolicies`, `${ADMISSION}/validatingadmissionpolicybindings`];
  const metadata = { name: `keep-${definition.group}` };
  const rule = {
    ...{ apiGroups: ["apiextensions.k8s.io"], apiVersions: ["*"], operations: ["UPDATE"] },
    ...{ resources: ["customresourcedefinitions"], resourceNames: [definition.name] },
  };
  const validations = [{ expression: "object.spec == oldObject.spec", message: "the spec is kept" }];
  await api.create(policies, { metadata, spec: { matchConstraints: { resourceRules: [rule] }, validations } });
  onTestFinished(async () => void (await api.delete(`${policies}/${metadata.name}`)));
  await api.create(bindings, { metadata, spec: { policyName: metadata.name, validationActions: ["Deny"] } });
  onTestFinished(async () => void (await api.delete(`${bindings}/${metadata.name}`)));
  await expect
    .poll(async () => (await check(definition)).result)
    .toMatchObject({
      ...{ verdict: "refused", isBudget: false, causes: [] },
      message: expect.stringContaining("the spec is kept"),
    });
});

/** From another era: every field was kept, and a schema was optional. */
const beforeSchemas = (text: string) =>
  text.replace('"preserveUnknownFields":false', '"preserveUnknownFields":true').replace(/"validation":\{.*\},"versions"/, '"versions"');

test.each<[what: string, change: (text: string) => string, because: RegExp]>([
  [
    "keeps unknown fields",
    (text) => text.replace('"preserveUnknownFields":false', '"preserveUnknownFields":true'),
    /preserveUnknownFields/,
  ],
  [
    "has no schema",
    (text) => beforeSchemas(text).replace('"preserveUnknownFields":true', '"preserveUnknownFields":false'),
    /^v1 has no schema/,
  ],
])("a definition that %s is not tried", async (_what, change, because) => {
  const definition = await define([{ name: "v1", storage: true }]);
  await leave(definition, change);
  expect(await check(definition)).toMatchObject({ result: { verdict: "not-tried", because: expect.stringMatching(because) } });
});

test("a definition that is being deleted is not tried", async () => {
  const definition = await createDefinition(api, [{ name: "v1", storage: true }]);
  await patch(definition, { metadata: { finalizers: ["example.com/hold"] } });
  await definition.remove();
  expect(await check(definition)).toMatchObject({ result: { verdict: "not-tried", because: "The definition is being deleted." } });
  await patch(definition, { metadata: { finalizers: null } });
  // The API server's own finalizer goes a moment later.
  const outcome = () => check(definition).catch((error: unknown) => error);
  await expect.poll(outcome).toMatchObject({ code: "not_found" });
});

/** The check's connection through a proxy, for this test. */
async function proxied(token = cluster.token) {
  const proxy = await faultProxy(cluster);
  const name = `check ${proxy.server}`;
  await chooseContexts(cluster, { name, server: proxy.server, token });
  return { proxy, through: await connect(name) };
}
const isTrial: Match = ({ method, path }) => method === "PATCH" && path.includes("dryRun=All");
const trials = ({ seen }: FaultProxy) => seen.filter(isTrial);

test("without permission to patch the definition, nothing is tried", async () => {
  const definition = await define([{ name: "v1", storage: true }]);
  const crds = { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"] };
  const { token } = await restrictedUser(api, [{ ...crds, verbs: ["get", "list", "watch"] }]);
  const { proxy, through } = await proxied(token);
  await expect(check(definition, through)).rejects.toMatchObject({
    code: "forbidden",
    message: `You can't patch ${definition.name}, so an edit can't be tried.`,
    nextStep: expect.stringContaining(`kubectl auth can-i patch customresourcedefinitions.apiextensions.k8s.io/${definition.name}`),
  });
  expect(trials(proxy)).toEqual([]);
});

test("a definition that changes meanwhile is tried again as it is then, at most three times", async () => {
  const definition = await define([{ name: "v1", storage: true, properties: names }]);
  const { proxy, through } = await proxied();
  const first = proxy.hold(isTrial, "before", 1);
  const checked = check(definition, through);
  await first.reached;
  await leaveSchema(definition, costlyRule);
  first.release();
  expect(await checked).toMatchObject({ result: { verdict: "refused", isBudget: true } });
  expect(trials(proxy).map(({ status }) => status)).toEqual([409, 422]);

  const outcome = check(definition, through).catch((error: unknown) => error);
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const held = proxy.hold(isTrial, "before", 1);
    await held.reached;
    await patch(definition, { metadata: { labels: { attempt: `${attempt}` } } });
    held.release();
  }
  expect(await outcome).toMatchObject({ code: "conflict", message: expect.stringContaining("kept changing") });
  expect(trials(proxy).map(({ status }) => status)).toEqual([409, 422, 409, 409, 409]);
});
