import { expect, onTestFinished, test } from "vitest";
import { sleep } from "#lib/async/sleep.ts";
import { connect, contextsFor } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { answeringServer } from "#lib/cluster/definitions/answering-server.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { flipLosses } from "#lib/rewrite/spec-change/flip-losses.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { anotherServer } from "#lib/rewrite/testing/clusters/another-server.ts";
import { conversionWebhook } from "#lib/rewrite/testing/webhooks/webhook-server.ts";

// An APIService with a service takes a version of the group away from the definition: another server answers, with objects of its own.

const bench = await openTestBench();
const { api, connection } = bench;
const OBJECTS = 5;

const proofOf = async (definition: SampleDefinition) =>
  readableRecord((await readCrd(connection, definition.name, soon())).crd)?.proof ?? null;

// Without requireOwnObjects (run-rewrite.ts) the other server's empty list is the proof, and the prune and the removal make all objects unreadable.
test("while another server answers for the storage version, nothing is rewritten, proven or pruned", async () => {
  const definition = await bench.stale(OBJECTS);
  const { service, leave } = await anotherServer(bench, definition, "v1", "shared");
  const because = `the APIService v1.${definition.group} sends requests for v1 to the service ${service}`;
  expect((await bench.dryRun(definition)).checks.find(({ name }) => name === "conditions")).toMatchObject({
    ...{ status: "fail", message: expect.stringContaining(because) },
  });
  for (const options of [{}, { acceptUnseen: true, verify: "every-object" as const }]) {
    expect(await bench.rewrite(definition, options)).toMatchObject({ phase: "failed", statusReason: expect.stringContaining(because) });
  }
  expect(await proofOf(definition)).toBeNull();
  expect(await bench.storedAs(definition)).toEqual({ v1beta1: OBJECTS });
  await leave();
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS } });
});

test("a proof isn't relied on while another server answers for the storage version", async () => {
  const definition = await bench.stale(OBJECTS);
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const { service } = await anotherServer(bench, definition, "v1");
  await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toMatchObject({
    ...{ code: "precondition_failed", message: expect.stringContaining(service) },
  });
  expect((await readCrd(connection, definition.name, soon())).crd.storedVersions).toEqual(["v1beta1", "v1"]);
});

// A patch that takes the service out leaves no time in the spec's managedFields: by those, nothing ever happened.
test.each(["delete", "patch"] as const)("a server that came and went is noticed, and so is that it has just left (%s)", async (how) => {
  const definition = await bench.stale(OBJECTS);
  const { crd } = await readCrd(connection, definition.name, soon());
  const apiServices = async () => {
    const answering = await answeringServer(connection, crd, soon());
    return answering.kind === "definition" ? answering.apiServices : answering.kind;
  };
  await expect.poll(apiServices, { timeout: 30_000 }).toMatchObject({ state: expect.any(String) });
  const seen = await apiServices();
  // Times have whole seconds.
  await sleep(2_500, soon());
  const { leave } = await anotherServer(bench, definition, "v1");
  expect(await apiServices()).toBe("another");
  const leftAt = performance.now();
  await leave(how);
  await expect.poll(apiServices, { timeout: 30_000 }).toMatchObject({ state: expect.any(String) });
  const now = await apiServices();
  if (typeof seen !== "object" || typeof now !== "object") throw new Error("The APIServices are there.");
  expect(now.state).not.toBe(seen.state);
  expect(now.ageMs).toBeLessThan(performance.now() - leftAt + 1_500);
});

// Without the check of all served versions (answering-server.ts), what it lists in place of objects that can't be converted may be the proof.
test.each(["all", "none"] as const)(
  "while another server answers for an old version, nothing is proven either (rights to APIServices: %s)",
  async (rights) => {
    const webhook = await conversionWebhook((object, apiVersion) => ({ ...object, apiVersion }));
    const definition = await bench.stale(OBJECTS, { conversion: webhook });
    const own = rights === "all" ? connection : await withoutApiServices(definition);
    await anotherServer(bench, definition, "v1beta1");
    expect(await rewriteAs(own, definition)).toMatchObject({ phase: "failed", statusReason: expect.stringMatching(/APIService/i) });
    expect(await proofOf(definition)).toBeNull();
    expect(await bench.storedAs(definition)).toEqual({ v1beta1: OBJECTS });
  },
);

test("no other change of the objects or the versions relies on another server's objects", async () => {
  const definition = await bench.stale(OBJECTS);
  const { service } = await anotherServer(bench, definition, "v1");
  const { crd } = await readCrd(connection, definition.name, soon());
  const refused = { code: "precondition_failed", message: expect.stringContaining(service) };
  await expect(flipLosses(connection, crd, "v1beta1", soon())).rejects.toMatchObject(refused);
  await expect(cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, soon()).next()).rejects.toMatchObject(refused);
});

/** Someone who may rewrite the objects, and may not read APIServices. */
async function withoutApiServices({ group }: SampleDefinition): Promise<Connection> {
  const user = await restrictedUser(api, [
    {
      apiGroups: ["apiextensions.k8s.io"],
      resources: ["customresourcedefinitions", "customresourcedefinitions/status"],
      verbs: ["get", "list", "watch", "patch"],
    },
    { apiGroups: [group], resources: ["*"], verbs: ["get", "list", "patch"] },
    { apiGroups: ["admissionregistration.k8s.io"], resources: ["*"], verbs: ["list"] },
  ]);
  const credentials = { kind: "bearer", token: user.token } as const;
  const own = await connect(contextsFor(credentials).current, credentials);
  onTestFinished(() => fleetOf(own).stop());
  return own;
}

async function rewriteAs(own: Connection, definition: SampleDefinition) {
  const { id } = await startRewrite(own, definition.name, { acceptUnseen: true, settleSeconds: 0, signal: soon() });
  return bench.endOf(definition, id);
}

test.each(["own", "shared"] as const)(
  "whoever may not read APIServices is told by two versions, which must have the same objects (%s resourceVersions)",
  async (resourceVersions) => {
    const definition = await bench.stale(OBJECTS);
    const own = await withoutApiServices(definition);
    const { leave } = await anotherServer(bench, definition, "v1", resourceVersions);
    expect(await rewriteAs(own, definition)).toMatchObject({
      ...{ phase: "failed", statusReason: expect.stringContaining("v1 and v1beta1 show different objects") },
    });
    await leave();
    expect(await rewriteAs(own, definition)).toMatchObject({ phase: "succeeded", caveats: [], counts: { rewritten: OBJECTS } });
  },
);

test("a definition without objects is proven by whoever may not read APIServices", async () => {
  const definition = await bench.stale(0);
  expect(await rewriteAs(await withoutApiServices(definition), definition)).toMatchObject({ phase: "succeeded", caveats: [] });
});

test("if nothing tells which server answers, the end of the rewrite says so", async () => {
  const definition = await bench.define([{ name: "v1", storage: true }]);
  await definition.createObjects("v1", OBJECTS);
  expect(await rewriteAs(await withoutApiServices(definition), definition)).toMatchObject({
    phase: "succeeded",
    statusReason: expect.stringContaining(`may not read the APIServices of ${definition.group}`),
    caveats: [expect.stringContaining("Ask for a role that may get apiservices.apiregistration.k8s.io.")],
  });
});
