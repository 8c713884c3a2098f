import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readExactCrd } from "#lib/cluster/definitions/crds.ts";
import { removedSpecOf } from "#lib/cluster/definitions/versions/removed-version.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type ExactJson, exactProperty } from "#lib/domain/exact-json/exact-json.ts";
import { REMOVED_ANNOTATION, versionSpec } from "#lib/domain/versions/version-change.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";

/** The `openAPIV3Schema` of a version, also of a removed one that the definition keeps; undefined where it isn't known. */
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
  const annotations = exactProperty(exactProperty(read.exact, "metadata"), "annotations");
  const kept = exactProperty(annotations, REMOVED_ANNOTATION);
  const schemas = new Map<string, ExactJson | undefined>();
  return (version) => {
    if (!schemas.has(version)) {
      const spec = versionSpec(read.exact, version) ?? (typeof kept === "string" ? removedSpecOf(kept, version) : null);
      schemas.set(version, exactProperty(exactProperty(spec ?? undefined, "schema"), "openAPIV3Schema"));
    }
    return schemas.get(version);
  };
}
