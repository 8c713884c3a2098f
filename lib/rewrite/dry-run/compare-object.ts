import { inTurnByLength, type NextTurn, TAKES_TIME } from "#lib/async/in-turn-by-length.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { dryRunRewriteText, readCachedObjectText, readObjectText } from "#lib/cluster/objects/custom-objects.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type ExactJson, parseObject } from "#lib/domain/exact-json/exact-json.ts";
import { fieldLosses } from "#lib/domain/losses/field-losses.ts";
import type { ObjectLoss } from "#lib/domain/losses/losses.ts";
import { resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import type { OnPatch } from "#lib/domain/rewrite/sent-patches.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Pacer } from "#lib/rewrite/pacing/pacer.ts";
import type { ObjectAnswer } from "#lib/rewrite/run/object/request/object-answer.ts";
import { requestAmid } from "#lib/rewrite/run/object/request/request-amid.ts";
import { requestForObject } from "#lib/rewrite/run/object/request/request-for-object.ts";
import { differencesBetween } from "./differences-between.ts";
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
  onPatch?: OnPatch;
}

/** The same object before and after. */
export interface Compared<Told> {
  /** The object as it was before. */
  shown: Shown;
  losses: ObjectLoss[];
  /** What else both tell. */
  told: Told;
  /** False if another writer changed it in between. */
  steady: boolean;
  /** Whether a write would lose or add something by what it starts from: the API server holds the object as a webhook converted it earlier. */
  startsElsewhere: boolean;
}

/** An object as it was read. Of more than 16 KiB, it is kept only as text: parsed, it takes up to fifty times its bytes, and dozens are at work. */
export interface Shown {
  text: string;
  /** The parsed object, which nobody must keep. */
  parse(): ExactJson;
}

type Tell<Told> = (before: ExactJson, after: ExactJson) => Told;

/** Enough tries for a busy object, whose losses would otherwise be unknown. */
const MAX_ATTEMPTS = 10;

interface HowToCompare<Told> {
  version: string;
  throughStatus?: boolean;
  /** Look what a write would start from, too. */
  looksIntoCache?: boolean;
  tell: Tell<Told>;
}

/** The object at a version, and as a rewrite would leave it there, by a dry run; of its `/status` with `throughStatus`. */
export async function compareByDryRun<Told>(
  comparing: Comparing,
  object: ObjectName,
  { version, throughStatus = false, looksIntoCache = false, tell }: HowToCompare<Told>,
): Promise<ObjectAnswer<Compared<Told>>> {
  const { connection, crd, gate, signal, runId, onPatch } = comparing;
  const options = { signal, ...(runId && { runId }), ...(onPatch && { onPatch }) };
  const schema = (await schemasOf(comparing))(version);
  const compare = () =>
    steadily(
      {
        whenReleased: () => gate.whenReleased(signal),
        before: () => readObjectText(connection, crd, version, object, options),
        after: () => dryRunRewriteText(connection, crd, version, object, { ...options, throughStatus }),
        ...(looksIntoCache && { cached: () => readCachedObjectText(connection, crd, version, object, options) }),
      },
      { tell, schema, signal, person: connection.person() },
    );
  return ask(comparing, object, compare, "tries");
}

/** The object as read at a version, and at another one. Both are of the same bytes: nothing is written otherwise, so no schema is needed. */
export function compareByReading(
  comparing: Comparing,
  object: ObjectName,
  [version, other]: readonly [string, string],
): Promise<ObjectAnswer<Compared<null>>> {
  const { connection, crd, gate, signal, runId } = comparing;
  const options = { signal, ...(runId && { runId }) };
  const compare = () =>
    steadily(
      {
        whenReleased: () => gate.whenReleased(signal),
        before: () => readObjectText(connection, crd, version, object, options),
        after: () => readObjectText(connection, crd, other, object, options),
      },
      { tell: () => null, signal, person: connection.person() },
    );
  return ask(comparing, object, compare, "reads");
}

function ask<Value>(
  comparing: Comparing,
  object: ObjectName,
  compare: () => Promise<Value>,
  effect: "reads" | "tries",
): Promise<ObjectAnswer<Value>> {
  return (comparing.amid ? requestAmid : requestForObject)(comparing, object, compare, { effect });
}

/** The versions' schemas, without a request amid another one. */
export function schemasOf(comparing: Comparing): Promise<VersionSchemas> {
  return comparing.amid ? knownSchemas(comparing) : versionSchemas(comparing);
}

/** What is asked, in this order. */
interface Requests {
  whenReleased(): Promise<void>;
  before(): Promise<string>;
  /** Where a write may start from something else than what is shown before. */
  cached?(): Promise<string | null>;
  after(): Promise<string>;
}

// Another writer's change in between is not a loss. Throws GateHeld if the gate is held before all requests are sent.
async function steadily<Told>(
  { whenReleased, before, cached, after }: Requests,
  { signal, person, ...how }: How<Told> & { signal: AbortSignal; person: string },
): Promise<Compared<Told>> {
  for (let attempt = 1; ; attempt += 1) {
    await whenReleased();
    const textBefore = await before();
    if (cached) await whenReleased();
    const textCached = (await cached?.()) ?? textBefore;
    await whenReleased();
    const textAfter = await after();
    const longest = Math.max(textBefore.length, textCached.length, textAfter.length);
    const compare = (nextTurn: NextTurn) => compared(textBefore, textAfter, { ...how, textCached, longest, nextTurn });
    const found = await inTurnByLength({ kind: "objects", length: longest, person }, signal, compare);
    if (found.steady || attempt >= MAX_ATTEMPTS) return found;
  }
}

/** Apart from what has the object parsed: a function keeps all that any function beside it uses. */
function shownAsText(text: string): Shown {
  return { text, parse: () => parseObject(text) };
}

interface How<Told> {
  tell: Tell<Told>;
  schema?: ExactJson | undefined;
}

async function compared<Told>(
  textBefore: string,
  textAfter: string,
  { tell, schema, textCached, longest, nextTurn }: How<Told> & { textCached: string; longest: number; nextTurn: NextTurn },
): Promise<Compared<Told>> {
  const before = parseObject(textBefore);
  const shown = longest >= TAKES_TIME ? shownAsText(textBefore) : { text: textBefore, parse: () => before };
  const resourceVersion = resourceVersionOf(before);
  const startsElsewhere = textCached !== textBefore && (await differsInCache());
  const unchanged = (steady: boolean) => ({ shown, losses: [], told: tell(before, before), steady, startsElsewhere });
  if (textAfter === textBefore) return unchanged(true);
  await nextTurn();
  const after = parseObject(textAfter);
  if (resourceVersion !== resourceVersionOf(after)) return unchanged(false);
  await nextTurn();
  const losses = fieldLosses(before, after, schema);
  await nextTurn();
  return { shown, losses, told: tell(before, after), steady: true, startsElsewhere };

  /** Whether a write that starts from what the cache holds would lose something that the object has, or store something that it hasn't. */
  async function differsInCache(): Promise<boolean> {
    await nextTurn();
    const cached = parseObject(textCached);
    // Another state of the object is no base for a write: the API server reads it anew.
    if (resourceVersionOf(cached) !== resourceVersion) return false;
    await nextTurn();
    return (await differencesBetween(before, cached, schema, nextTurn)).length > 0;
  }
}
