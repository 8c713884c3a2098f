import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readExactCrd } from "#lib/cluster/definitions/crds.ts";
import { removedSpecOf } from "#lib/cluster/definitions/versions/removed-version.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type ExactJson, exactProperty } from "#lib/domain/exact-json/exact-json.ts";
import { unchangedByWrite } from "#lib/domain/losses/unchanged-by-write.ts";
import { versionsToTry } from "#lib/domain/losses/versions-to-try.ts";
import { mentionsKeyword } from "#lib/domain/objects/mentions-keyword.ts";
import { REMOVED_ANNOTATION, type VersionSpec, versionSpecs } from "#lib/domain/versions/version-spec.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { definitionChanged } from "#lib/rewrite/run/confirm-definition.ts";

/** The `openAPIV3Schema` of a version, also of a removed one that the definition keeps; undefined where it isn't known. */
export type VersionSchemas = (version: string) => ExactJson | undefined;

interface Given {
  connection: Connection;
  crd: Crd;
  signal: AbortSignal;
}

/** Where they couldn't be read. */
export const UNREAD: VersionSchemas = () => undefined;

interface Known {
  schemaOf: VersionSchemas;
  keepsUnlisted: boolean;
  /** Found once: that takes as long as the schemas. */
  versionsToTry?: readonly string[];
  /** By version. */
  statusDefaults?: Map<string, boolean>;
}

/** By the definition as it was read, so that all objects of a dry run or a run share one read. */
const known = new WeakMap<Crd, Promise<Known>>();

/**
 * The schemas of the definition's versions, read once, between requests about objects: it waits for an outage to end. UNREAD if the
 * definition can't be read or has changed: then nothing is taken for equivalent, and every version is tried. Throws the signal's reason.
 */
export async function versionSchemas(given: Given & { gate: Gate }): Promise<VersionSchemas> {
  return (await readOnce(given))?.schemaOf ?? UNREAD;
}

/** unchangedByWrite of the definition; null, too, if it can't be read or has changed. */
export async function readingSuffices(given: Given & { gate: Gate }): Promise<((object: ExactJson) => boolean) | null> {
  const schemas = await readOnce(given);
  return schemas && unchangedByWrite(given.crd, schemas);
}

async function readOnce({ gate, ...given }: Given & { gate: Gate }): Promise<Known | null> {
  const { crd, signal } = given;
  try {
    return await (known.get(crd) ?? throughGate(gate, signal, () => read(given)));
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/**
 * The same amid a request about an object, which the gate has let through already: a second one would wait for the first.
 * @throws StopRun if the definition has changed, and the errors of reading it.
 */
export async function knownSchemas(given: Given): Promise<VersionSchemas> {
  return (await read(given)).schemaOf;
}

/**
 * versionsToTry of the definition, amid a request as for knownSchemas.
 * @throws as knownSchemas.
 */
export async function knownVersionsToTry(given: Given): Promise<readonly string[]> {
  return toTry(given.crd, await read(given));
}

/** versionsToTry of the definition, between requests about objects: every other served one if it can't be read or has changed. */
export async function allVersionsToTry(given: Given & { gate: Gate }): Promise<readonly string[]> {
  const definition = await readOnce(given);
  return definition ? toTry(given.crd, definition) : versionsToTry(given.crd, UNREAD);
}

function toTry(crd: Crd, definition: Known): readonly string[] {
  definition.versionsToTry ??= versionsToTry(crd, definition.schemaOf);
  return definition.versionsToTry;
}

/**
 * Whether the API server keeps all fields that no schema lists (spec.preserveUnknownFields), amid a request as for knownSchemas.
 * @throws as knownSchemas.
 */
export async function keepsUnlisted(given: Given): Promise<boolean> {
  return (await read(given)).keepsUnlisted;
}

/**
 * Whether a version's schema has a default in the status, amid a request as for knownSchemas.
 * @throws as knownSchemas.
 */
export async function hasStatusDefault(given: Given, version: string): Promise<boolean> {
  const definition = await read(given);
  definition.statusDefaults ??= new Map();
  const found = definition.statusDefaults.get(version);
  if (found !== undefined) return found;
  const has = mentionsKeyword(exactProperty(exactProperty(definition.schemaOf(version), "properties"), "status"), ["default"]);
  definition.statusDefaults.set(version, has);
  return has;
}

function read(given: Given): Promise<Known> {
  const { crd } = given;
  const reading = known.get(crd) ?? readDefinition(given);
  known.set(crd, reading);
  reading.catch(() => known.delete(crd));
  return reading;
}

async function readDefinition({ connection, crd, signal }: Given): Promise<Known> {
  const { crd: now, exact } = await readExactCrd(connection, crd.name, signal);
  if (now.uid !== crd.uid || now.generation !== crd.generation) throw definitionChanged("its spec changed");
  const annotations = exactProperty(exactProperty(exact, "metadata"), "annotations");
  const kept = exactProperty(annotations, REMOVED_ANNOTATION);
  // Looking each up in the list takes the square of their number.
  const schemas = new Map<string, ExactJson | undefined>(versionSpecs(exact).map((spec) => [spec.name, schemaIn(spec)]));
  const schemaOf: VersionSchemas = (version) => {
    if (!schemas.has(version)) schemas.set(version, schemaIn(typeof kept === "string" ? removedSpecOf(kept, version) : null));
    return schemas.get(version);
  };
  return { schemaOf, keepsUnlisted: exactProperty(exactProperty(exact, "spec"), "preserveUnknownFields") === true };
}

function schemaIn(spec: VersionSpec | null): ExactJson | undefined {
  return exactProperty(exactProperty(spec ?? undefined, "schema"), "openAPIV3Schema");
}
