import { expect } from "vitest";
import { connect, contextsFor } from "#lib/cluster/connection/connect.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { readKnownCrd } from "#lib/cluster/fleet/read-known-crd.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { faultTest, past, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const OBJECTS = 40;

// Without whyEnded (clean-managed-fields.ts), both end as an internal error, whose cause is only in the log.
faultTest("a cleaning that can't continue says why, and asks for a sign-in if the token is rejected", async (bench) => {
  const { cluster, proxy } = bench;
  const definition = await bench.define([{ name: "v1alpha1" }, { name: "v1", storage: true }]);
  await definition.createObjects("v1alpha1", OBJECTS);
  const credentials = { kind: "bearer", token: cluster.token } as const;
  const connection = await connect(contextsFor(credentials).current, credentials);
  const { crd } = await readCrd(connection, definition.name, soon());
  const clean = async () => {
    let cleaned = 0;
    for await (const step of cleanManagedFields(connection, crd, { versions: ["v1alpha1"] }, soon())) cleaned = step.cleaned;
    return cleaned;
  };
  const answer = (status: number, reason: string) => ({
    ...{ kind: "answer" as const, status, headers: { "content-type": "application/json" } },
    body: JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code: status, reason, message: reason }),
  });

  // Reads, too: a patch's 404 alone may be admission's.
  const ofObjects: Match = ({ path }) => path.startsWith(`/apis/${definition.group}/`) && path.includes("/widgets/");
  const unserved = proxy.inject(past(20, ofObjects), answer(404, "NotFound"));
  await expect(clean()).rejects.toMatchObject({
    ...{ code: "precondition_failed", message: expect.stringContaining("The version is no longer served") },
    nextStep: expect.stringContaining("stay clean"),
  });
  unserved.stop();
  proxy.inject(past(5, patchOf(definition)), answer(401, "Unauthorized"), 1);
  await expect(clean()).rejects.toMatchObject({ code: "unauthenticated", details: { signIn: true, ended: "token-refused" } });
  // Objects cleaned before the stop stay clean.
  expect(await clean()).toBeGreaterThan(0);
  expect(await clean()).toBe(0);
});

// Without what stopWhenDefinitionChanges compares of the evidence, an object whose storage was disproved meanwhile is written unchecked.
faultTest("a cleaning that relies on a proof ends once the proof is gone", async (bench) => {
  const { api, connection, proxy } = bench;
  const definition = await bench.stale(OBJECTS);
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const { crd } = await readCrd(connection, definition.name, soon());
  const held = proxy.hold(patchOf(definition), "before", Number.POSITIVE_INFINITY);
  const cleaning = (async () => {
    for await (const { complete } of cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, soon())) if (complete) return;
  })();
  const ended = expect(cleaning).rejects.toMatchObject({
    ...{ code: "precondition_failed", message: expect.stringContaining("what was proven of its objects no longer holds") },
  });
  await held.reached;
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`;
  await api.mergePatch(path, { metadata: { annotations: { "crdshift.dev/rewrite": null } } });
  await ended;
  held.release();
});

// Without a look at the definition once it is followed (stopWhenDefinitionChanges) every object is written, as nothing changes any more.
faultTest("a cleaning writes nothing if the proof that it relies on is gone before it begins", async (bench) => {
  const { api, connection, proxy } = bench;
  const definition = await bench.stale(OBJECTS);
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const crd = await readKnownCrd(connection, definition.name, soon());
  const written = proxy.seen.filter(patchOf(definition)).length;
  const held = proxy.hold(({ path }) => path.includes("/apiservices/"), "before");
  const clean = async () => {
    for await (const { complete } of cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, soon())) if (complete) return;
  };
  const ended = clean().catch((error: unknown) => error);
  await held.reached;
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`;
  await api.mergePatch(path, { metadata: { annotations: { "crdshift.dev/rewrite": null } } });
  await expect.poll(() => fleetOf(connection).lastSeen(definition.name)?.record, { timeout: 10_000 }).toBeNull();
  held.release();
  expect(await ended).toMatchObject({
    ...{ code: "precondition_failed", message: expect.stringContaining("what was proven of its objects no longer holds") },
  });
  expect(proxy.seen.filter(patchOf(definition))).toHaveLength(written);
});
