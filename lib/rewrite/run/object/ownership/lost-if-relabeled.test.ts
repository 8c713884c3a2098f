import { expect, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { relabeled } from "./lost-if-relabeled.ts";

const definition = vi.hoisted(() => ({ read: null as unknown }));

vi.mock("#lib/cluster/definitions/crds.ts", () => ({ readExactCrd: async () => definition.read }));

const entry = (apiVersion: string, fields: ExactJson) => ({
  manager: "owner",
  operation: "Apply",
  apiVersion,
  fieldsV1: { "f:spec": fields },
});

async function moved(preserveUnknownFields: boolean): Promise<ExactJson[]> {
  const crd = sampleCrd();
  const schema = { type: "object", properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } };
  const versions = [{ name: "v1", schema: { openAPIV3Schema: schema } }];
  definition.read = { crd, exact: { metadata: {}, spec: { preserveUnknownFields, versions } } };
  const connection = {} as Partial<Connection> as Connection;
  const sending = { connection, crd, version: "v1", gate: createGate(), signal: new AbortController().signal };
  const old = entry(`${crd.group}/v1beta1`, { "f:size": {}, "f:note": {} });
  return relabeled(sending, [old], (version) => version === "v1beta1");
}

// Without keepsUnlisted, the manager loses a field that is still there, and the next apply of another manager takes it.
test("an entry that is moved keeps the fields that no schema lists where the definition keeps such fields, and only there", async () => {
  const { group } = sampleCrd();
  expect(await moved(true)).toEqual([entry(`${group}/v1`, { "f:size": {}, "f:note": {} })]);
  expect(await moved(false)).toEqual([entry(`${group}/v1`, { "f:size": {} })]);
});
