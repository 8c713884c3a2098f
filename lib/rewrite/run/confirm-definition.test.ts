import { expect, onTestFinished, test } from "vitest";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { statesOfFleet } from "#lib/cluster/fleet/known-states.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { whileConfirmed } from "./confirm-definition.ts";
import { unconfirmedWrites } from "./unconfirmed-writes.ts";

const crd = sampleCrd({ resourceVersion: "1400" });

/**
 * Work that writes one object while the definition is read at this resourceVersion, and was known at `known` before: its result, and how
 * many writes it left unconfirmed.
 */
async function workAt(resourceVersion: string, known = crd.resourceVersion) {
  const { uid, generation } = crd;
  const connection = await connectionTo(`confirmed-${resourceVersion}`, (request, response) => {
    if (!request.url?.endsWith(crd.name)) return response.writeHead(404).end("{}");
    response.end(JSON.stringify({ metadata: { uid, generation, resourceVersion } }));
  });
  const states = statesOfFleet(connection);
  states.heard(known);
  states.note(crd.name, { uid, generation, resourceVersion: known });
  fleetOf(connection).beginRead()(crd);
  onTestFinished(() => fleetOf(connection).stop());
  const writes = unconfirmedWrites();
  const pacer = { paused: () => "no" as const };
  const confirming = { connection, crd, gate: createGate(), pacer, writes, signal: AbortSignal.timeout(10_000) };
  const result = await whileConfirmed(confirming, async () => {
    const write = writes.begin();
    write.sent();
    write.ended("written");
    return "done";
  }).catch(({ message }: Error) => message);
  return { result, unconfirmed: writes.objects() };
}

// Without the comparison (confirmDefinition), what is written after the restore counts as written to the definition that the work knows.
test("a definition that is older than the work knows it is no longer that one, although its generation is the same", async () => {
  expect(await workAt("1400")).toEqual({ result: "done", unconfirmed: 0 });
  const restored = { result: "The definition changed meanwhile: etcd was restored from a backup.", unconfirmed: 1 };
  expect(await workAt("940")).toEqual(restored);
  // The work's own renewals have changed it since it began.
  expect(await workAt("1450", "1500")).toEqual(restored);
});
