import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCachedObjectText, readObjectText } from "#lib/cluster/objects/custom-objects.ts";
import { asAnswerAbout, clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { inLongAnswersTurn } from "#lib/cluster/transport/long-answers.ts";
import { isAdmissionDenial } from "#lib/cluster/transport/refused-writes.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { exactProperty, isExactObject, parseObject } from "#lib/domain/exact-json/exact-json.ts";
import type { ObjectLoss } from "#lib/domain/losses/losses.ts";
import { fieldTests } from "#lib/domain/objects/field-tests.ts";
import { resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { differencesBetween } from "#lib/rewrite/dry-run/differences-between.ts";
import { knownSchemas } from "#lib/rewrite/dry-run/version-schemas.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";

export interface Writing {
  connection: Connection;
  crd: Crd;
  /** The storage version. */
  version: string;
  runId?: string;
  signal: AbortSignal;
  /** Which losses are accepted; none by default. */
  guard?: { accepts(loss: ObjectLoss): boolean };
  /** Waited for before each request. */
  gate?: Pick<Gate, "whenReleased">;
}

/** A write that changes something of what it starts from. */
interface Write<Done> {
  /** Fails with 422 unless these tests pass, as of testsOf: it starts from what they test, which is told as text. */
  write(tests: readonly string[], from: string): Promise<Done>;
  /** The same as a dry run, without tests: what is wrong with the object shows in it, too. */
  tryOut(): Promise<unknown>;
}

/** Of several API servers, each may hold it otherwise, and answer in turn. */
const MAX_ATTEMPTS = 6;

/** Why losses are unknown where an API server's cache shows an object otherwise than a read, and what to do. */
export const FROM_CACHE =
  "an API server's cache holds it as the conversion webhook converted it earlier, not as it is now, and a write would start from that. " +
  "Restart the API servers, or change a description in the definition's schema, so that they convert objects again. Then make a new dry run.";
const VARIES =
  "the conversion webhook gives it another value each time, or API servers hold it as it was converted earlier, so crdshift can't tell what a " +
  "write would store. Let the webhook convert the same object to the same values, and restart the API servers if it was repaired or updated. " +
  "Otherwise, accept losses unseen.";
export const TEN_MANAGERS =
  "the conversion webhook gives it another value each time. To write it all the same, crdshift would add an entry to its managedFields, which " +
  "have ten managers, and the API server would merge two of them. Let the webhook convert the same object to the same values, or accept losses " +
  "unseen.";
export const UNCHANGEABLE =
  "the conversion webhook gives it another value each time, and the API server takes no change of its managedFields, as where they name a " +
  "version that is gone. Clean its entries on the definition's page, or let the webhook convert the same object to the same values. Otherwise, " +
  "accept losses unseen.";
const TOO_MUCH =
  "it is too large, nests too deep, or has too many fields for the API server to compare it with what a write would start from. " +
  "Make it smaller, or accept losses unseen.";

/**
 * Writes an object that a webhook converts only from what it is by `shown`, a read right before, as text. Reads and dry runs convert it
 * anew, but a write that changes anything starts from what the API server that takes it has in its cache
 * (apiserver/pkg/storage/cacher/delegator.go, GuaranteedUpdate), as the webhook converted it then. So the write tests each field: as it was
 * read, or as a cache shows it, if both differ in nothing that isn't accepted.
 * @throws AppError precondition_failed if it would start from anything else, and the errors of the write and its dry run.
 */
export async function startFromRead<Done>(
  writing: Writing,
  object: ObjectName,
  shown: string,
  { write, tryOut }: Write<Done>,
): Promise<Done> {
  let [from, isHeldOtherwise] = [shown, false];
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const tests = await testsOf(writing, object, from);
    try {
      return await write(tests, from);
    } catch (error) {
      requireFailedTest(error, object);
    }
    await tryOut();
    const cached = await ask(writing, object, readCachedObjectText);
    from = cached !== null && (await isAlike(writing, object, shown, cached)) ? cached : shown;
    isHeldOtherwise ||= from !== shown;
  }
  throw unknownLosses(object, isHeldOtherwise ? VARIES : FROM_CACHE);
}

/** Tests that an object is as in this text; each step for a large one has a turn of its own. Throws AppError if there are too many. */
export async function testsOf(writing: Writing, object: ObjectName, text: string): Promise<string[]> {
  const schema = (await knownSchemas(writing))(writing.version);
  const properties = schema && exactProperty(schema, "properties");
  const known = ["spec", "status", ...(isExactObject(properties) ? Object.keys(properties) : [])];
  const tests = await inLongAnswersTurn(text, writing.connection, writing.signal, () => fieldTests(text, known));
  if (tests === null) throw unknownLosses(object, TOO_MUCH);
  return tests;
}

/**
 * Throws the error of a write with tests unless a failed test may have caused it, which gets a 422, like much that is wrong with an object. A
 * write without an answer may have been stored.
 */
export function requireFailedTest(error: unknown, object: ObjectName): void {
  const answer = clusterAnswer(error);
  if (answer?.status === 413) throw unknownLosses(object, TOO_MUCH);
  if (answer?.status !== 422 || answer.fields.length > 0 || isAdmissionDenial(answer)) throw error;
}

/**
 * Whether a cache's text of the object differs in nothing from what was shown that isn't accepted; false if it is of another state. Either may
 * lack what the other has: which one is right, nothing tells. Throws AppError if it differs.
 */
async function isAlike(writing: Writing, object: ObjectName, shown: string, cached: string): Promise<boolean> {
  if (cached === shown) return true;
  const { connection, version, guard, signal } = writing;
  const schema = (await knownSchemas(writing))(version);
  const longer = shown.length > cached.length ? shown : cached;
  return inLongAnswersTurn(longer, connection, signal, async (nextTurn) => {
    const [one, other] = [parseObject(shown), await nextTurn().then(() => parseObject(cached))];
    if (resourceVersionOf(one) !== resourceVersionOf(other)) return false;
    await nextTurn();
    const differences = await differencesBetween(one, other, schema, nextTurn);
    if (differences.some((difference) => !guard?.accepts(difference))) throw unknownLosses(object, FROM_CACHE);
    return true;
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
  const { connection, crd, version, runId, signal, gate } = writing;
  await gate?.whenReleased(signal);
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
export function unknownLosses(object: ObjectName, because: string): AppError {
  const error = new AppError("precondition_failed", `Its losses are unknown: ${because} The object was left as it is.`);
  return asAnswerAbout(object, { status: 422, reason: "LossUnknown" }, error);
}
