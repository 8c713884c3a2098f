import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readExactCrd } from "#lib/cluster/definitions/crds.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type ExactJson, exactProperty } from "#lib/domain/exact-json/exact-json.ts";
import { versionSpec } from "#lib/domain/versions/version-spec.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";

/** The `openAPIV3Schema` of a version; undefined where it isn't known. */
export type VersionSchemas = (version: string) => ExactJson | undefined;

/** By the definition as it was read, so that all objects of a dry run or a run share one read. */
const known = new WeakMap<Crd, Promise<VersionSchemas>>();

/**
 * The schemas of the definition's versions, read once. Unknown if the definition can't be read or has changed: then nothing is taken for
 * equivalent, and every version is tried. Throws the signal's reason.
 */
export function versionSchemas(given: { connection: Connection; crd: Crd; gate: Gate; signal: AbortSignal }): Promise<VersionSchemas> {
  const { crd } = given;
  const reading = known.get(crd) ?? readSchemas(given);
  known.set(crd, reading);
  reading.catch(() => known.delete(crd));
  return reading;
}

async function readSchemas({ connection, crd, gate, signal }: Parameters<typeof versionSchemas>[0]): Promise<VersionSchemas> {
  const read = await throughGate(gate, signal, () => readExactCrd(connection, crd.name, signal)).catch(() => null);
  signal.throwIfAborted();
  if (!read || read.crd.uid !== crd.uid || read.crd.generation !== crd.generation) return () => undefined;
  return (version) => exactProperty(exactProperty(versionSpec(read.exact, version) ?? undefined, "schema"), "openAPIV3Schema");
}
