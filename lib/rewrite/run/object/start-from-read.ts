import { setImmediate } from "node:timers/promises";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCachedObjectText, readObjectText } from "#lib/cluster/objects/custom-objects.ts";
import { asAnswerAbout, clusterAnswer, isAdmissionDenial } from "#lib/cluster/transport/errors.ts";
import { inLongAnswersTurn } from "#lib/cluster/transport/request.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { parseObject } from "#lib/domain/exact-json/exact-json.ts";
import type { ObjectLoss } from "#lib/domain/losses/losses.ts";
import { lossesFrom } from "#lib/domain/losses/losses-from.ts";
import { fieldTests } from "#lib/domain/objects/field-tests.ts";
import { resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { knownSchemas } from "#lib/rewrite/dry-run/version-schemas.ts";

export interface Writing {
  connection: Connection;
  crd: Crd;
  /** The storage version. */
  version: string;
  runId?: string;
  signal: AbortSignal;
  /** Which losses are accepted; none by default. */
  guard?: { accepts(loss: ObjectLoss): boolean };
  /** Called before each request. */
  beforeRequest?: (signal: AbortSignal) => Promise<void>;
}

/** A write that changes nothing of what it starts from, except as told. */
interface Write<Done> {
  /** Fails with 422 unless these tests pass, as of fieldTests: it starts from what they test, which is told as text. */
  write(tests: readonly string[], from: string): Promise<Done>;
  /** The same as a dry run, without tests; whether it changes nothing at all. */
  tryOut(): Promise<boolean>;
}

/** Of several API servers, each may hold it otherwise, and answer in turn. */
const MAX_ATTEMPTS = 6;

/** Why losses are unknown where an API server's cache shows an object otherwise than a read, and what to do. */
export const FROM_CACHE =
  "an API server's cache holds it as the conversion webhook converted it earlier, without what it has now, and a write would start from that. " +
  "Restart the API servers, or change a description in the definition's schema, so that they convert objects again. Then make a new dry run.";
const VARIES =
  "the conversion webhook gives it another value each time, or API servers hold it as it was converted earlier, so crdshift can't tell what a " +
  "write would store. Let the webhook convert the same object to the same values, and restart the API servers if it was repaired or updated. " +
  "Otherwise, accept losses unseen.";
const TOO_MUCH =
  "it is too large, nests too deep, or has too many fields for the API server to compare it with what a write would start from. " +
  "Make it smaller, or accept losses unseen.";

/**
 * Writes an object that a webhook converts only from what it is by `shown`, a read right before, as text. Reads and dry runs convert it
 * anew, but a write that changes anything starts from what the API server that takes it has in its cache
 * (apiserver/pkg/storage/cacher/delegator.go, GuaranteedUpdate), as the webhook converted it then. So the write tests each field: as it was
 * read, or as a cache shows it without losing anything that isn't accepted. One that changes nothing is converted anew in the write, too:
 * where a webhook gives another value each time, it tests only what is the same in all reads.
 * @throws AppError precondition_failed if it would start from anything else, and the errors of the write and its dry run.
 */
export async function startFromRead<Done>(
  writing: Writing,
  object: ObjectName,
  shown: string,
  { write, tryOut }: Write<Done>,
): Promise<Done> {
  const { connection, signal } = writing;
  const texts: [string, ...string[]] = [shown];
  const look = async (read: typeof readCachedObjectText, why: string) => {
    const text = await ask(writing, object, read);
    if (text === null || texts.includes(text)) return text;
    const differs = await differenceOf(writing, shown, text);
    if (differs === "lossy") throw unknownLosses(object, why);
    if (differs === "moved") return null;
    texts.push(text);
    return text;
  };
  let from: [string, ...string[]] = [shown];
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const tests = await inLongAnswersTurn(shown, connection, signal, () => fieldTests(from));
    if (tests === null) throw unknownLosses(object, TOO_MUCH);
    let changesNothing: boolean;
    try {
      return await write(tests, from[0]);
    } catch (error) {
      if (clusterAnswer(error)?.status === 413) throw unknownLosses(object, TOO_MUCH);
      if (!mayHaveFailedTests(error)) throw error;
      // What is wrong with the object, or has changed in it, shows in a dry run, too.
      changesNothing = await tryOut();
    }
    if (changesNothing || texts.length === 1) await look(readObjectText, VARIES);
    const cached = await look(readCachedObjectText, FROM_CACHE);
    from = changesNothing ? texts : [cached ?? shown];
  }
  throw unknownLosses(object, texts.length > 1 ? VARIES : FROM_CACHE);
}

/** A failed test gets a 422, like much that is wrong with an object. A write without an answer may have been stored. */
function mayHaveFailedTests(error: unknown): boolean {
  const answer = clusterAnswer(error);
  return answer?.status === 422 && answer.fields.length === 0 && !isAdmissionDenial(answer);
}

/** How another text of the object, at the same state, differs from what was shown; each step for a large one has a turn of its own. */
async function differenceOf(writing: Writing, shown: string, other: string): Promise<"lossy" | "harmless" | "moved"> {
  const { connection, version, guard, signal } = writing;
  const schema = (await knownSchemas(writing))(version);
  return inLongAnswersTurn(shown.length > other.length ? shown : other, connection, signal, async () => {
    const [before, after] = [parseObject(shown), await setImmediate().then(() => parseObject(other))];
    if (resourceVersionOf(before) !== resourceVersionOf(after)) return "moved";
    await setImmediate();
    return lossesFrom(before, after, schema).some((loss) => !guard?.accepts(loss)) ? "lossy" : "harmless";
  });
}

/** Reads an object for startFromRead. */
export function readToStartFrom(writing: Writing, object: ObjectName): Promise<string> {
  return ask(writing, object, readObjectText);
}

async function ask<Text>(
  writing: Writing,
  object: ObjectName,
  read: (...of: Parameters<typeof readObjectText>) => Promise<Text>,
): Promise<Text> {
  const { connection, crd, version, runId, signal, beforeRequest } = writing;
  await beforeRequest?.(signal);
  return read(connection, crd, version, object, { signal, ...(runId && { runId }) });
}

/**
 * Whether the API server may hold objects otherwise than a read shows them, and it matters. Without a webhook, only a new spec converts
 * otherwise, and the API server then fills its cache anew.
 */
export function mayStartElsewhere({ conversion }: Pick<Crd, "conversion">, guard?: { isOff: boolean }): boolean {
  return conversion.strategy === "Webhook" && !guard?.isOff;
}

// Nothing is wrong with the object, so the API server has no such answer: but it is one about this object, which the others needn't share.
function unknownLosses(object: ObjectName, because: string): AppError {
  const error = new AppError("precondition_failed", `Its losses are unknown: ${because} The object was left unchanged.`);
  return asAnswerAbout(object, { status: 422, reason: "LossUnknown" }, error);
}
