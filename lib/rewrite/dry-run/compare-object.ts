import type { Connection } from "#lib/cluster/connection/connection.ts";
import { dryRunRewriteText, readObjectText } from "#lib/cluster/objects/custom-objects.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type ExactJson, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { fieldLosses } from "#lib/domain/losses/field-losses.ts";
import type { ObjectLoss } from "#lib/domain/losses/losses.ts";
import { resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import type { PatchPurpose } from "#lib/domain/rewrite/sent-patches.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Pacer } from "#lib/rewrite/pacing/pacer.ts";
import { type ObjectAnswer, requestAmid, requestForObject } from "#lib/rewrite/run/object/request-for-object.ts";
import type { LargeObject } from "./large-object.ts";
import { knownSchemas, type VersionSchemas, versionSchemas } from "./version-schemas.ts";

export interface Comparing {
  connection: Connection;
  crd: Crd;
  gate: Gate;
  pacer: Pacer;
  /** Whether all this happens amid another request about the object, which has its turn and retries. */
  amid?: boolean;
  signal: AbortSignal;
  runId?: string;
  onPatch?: (purpose: PatchPurpose) => void;
  /** The object's share of memory, for as long as its copies are held. */
  large: LargeObject;
}

/** The same object before and after; `steady` is false if another writer changed it in between. */
export interface Compared {
  before: ExactJson;
  after: ExactJson;
  losses: ObjectLoss[];
  steady: boolean;
}

/** The length of an object that must wait for its share of memory. */
interface TooLarge {
  characters: number;
}

/** Enough tries for a busy object, whose losses would otherwise be unknown. */
const MAX_ATTEMPTS = 10;

/** The object at a version, and as a rewrite would leave it there, by a dry run; of its `/status` with `throughStatus`. */
export async function compareByDryRun(
  comparing: Comparing,
  object: ObjectName,
  version: string,
  throughStatus = false,
): Promise<ObjectAnswer<Compared>> {
  const { connection, crd, gate, large, signal, runId, onPatch } = comparing;
  const options = { signal, ...(runId && { runId }), ...(onPatch && { onPatch }) };
  const schema = (await schemasOf(comparing))(version);
  const compare = () =>
    steadily(
      large,
      () => gate.whenReleased(signal),
      () => readObjectText(connection, crd, version, object, options),
      () => dryRunRewriteText(connection, crd, version, object, { ...options, throughStatus }),
      schema,
    );
  return compared(comparing, object, compare, "tries");
}

/** The object as read at a version, and at another one. Both are of the same bytes: nothing is written otherwise, so no schema is needed. */
export function compareByReading(
  comparing: Comparing,
  object: ObjectName,
  [version, other]: readonly [string, string],
): Promise<ObjectAnswer<Compared>> {
  const { connection, crd, gate, large, signal, runId } = comparing;
  const options = { signal, ...(runId && { runId }) };
  const compare = () =>
    steadily(
      large,
      () => gate.whenReleased(signal),
      () => readObjectText(connection, crd, version, object, options),
      () => readObjectText(connection, crd, other, object, options),
    );
  return compared(comparing, object, compare, "reads");
}

/** Asks in turn, and again once a large object has its share of memory, which others may need a turn to give back. */
async function compared(
  comparing: Comparing,
  object: ObjectName,
  compare: () => Promise<Compared | TooLarge>,
  effect: "reads" | "tries",
): Promise<ObjectAnswer<Compared>> {
  const ask = comparing.amid ? requestAmid : requestForObject;
  for (;;) {
    const answer = await ask(comparing, object, compare, { effect });
    if (answer.kind !== "answered") return answer;
    const { value } = answer;
    if (!("characters" in value)) return { kind: "answered", value };
    await comparing.large.wait(value.characters, comparing.signal);
  }
}

/** The versions' schemas, without a request amid another one. */
export function schemasOf(comparing: Omit<Comparing, "large">): Promise<VersionSchemas> {
  return comparing.amid ? knownSchemas(comparing) : versionSchemas(comparing);
}

// Another writer's change in between is not a loss. Throws GateHeld if the gate is held before all requests are sent.
async function steadily(
  large: LargeObject,
  whenReleased: () => Promise<void>,
  readBefore: () => Promise<string>,
  readAfter: () => Promise<string>,
  schema?: ExactJson,
): Promise<Compared | TooLarge> {
  for (let attempt = 1; ; attempt += 1) {
    await whenReleased();
    const textBefore = await readBefore();
    if (large.mustWait(textBefore.length)) return { characters: textBefore.length };
    const before = parseExactJson(textBefore);
    await whenReleased();
    const textAfter = await readAfter();
    if (textAfter === textBefore) return { before, after: before, losses: [], steady: true };
    if (large.mustWait(textAfter.length)) return { characters: textAfter.length };
    const after = parseExactJson(textAfter);
    if (resourceVersionOf(before) === resourceVersionOf(after)) {
      return { before, after, losses: fieldLosses(before, after, schema), steady: true };
    }
    if (attempt >= MAX_ATTEMPTS) return { before, after: before, losses: [], steady: false };
  }
}
