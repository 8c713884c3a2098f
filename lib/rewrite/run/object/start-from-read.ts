import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCachedObjectText, readObjectText } from "#lib/cluster/objects/custom-objects.ts";
import { clusterAnswer, withAnswer } from "#lib/cluster/transport/errors.ts";
import { inLongAnswersTurn } from "#lib/cluster/transport/request.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type ExactJson, parseObject } from "#lib/domain/exact-json/exact-json.ts";
import type { ObjectLoss } from "#lib/domain/losses/losses.ts";
import { lossesFrom } from "#lib/domain/losses/losses-from.ts";
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
  /** Fails with 422 unless it starts from this text's fields. */
  write(startsFrom: string): Promise<Done>;
  /** The same as a dry run, from whatever it starts. */
  tryOut(): Promise<unknown>;
}

/** The API server that takes a write may be another one than the one that was asked, or fill its cache meanwhile. */
const MAX_ATTEMPTS = 5;

/** Why losses are unknown where the API server's cache shows an object otherwise than a read, and what to do. */
export const FROM_CACHE =
  "the API server's cache holds it as the conversion webhook converted it earlier, without what it has now, and a write would start from that. " +
  "Restart the API servers, or change a description in the definition's schema, so that they convert objects again. Then make a new dry run.";

/**
 * Writes an object that a webhook converts only from what it is by `shown`, a read right before, as text. Reads and dry runs convert it
 * anew, but a write that changes anything starts from what the API server that takes it has in its cache
 * (apiserver/pkg/storage/cacher/delegator.go, GuaranteedUpdate), as the webhook converted it then. So the write tests each field: as it was
 * read, or as a cache shows it without losing anything of that.
 * @throws AppError precondition_failed if it would start from anything else, and the errors of the write and its dry run.
 */
export async function startFromRead<Done>(
  writing: Writing,
  object: ObjectName,
  shown: string,
  { write, tryOut }: Write<Done>,
): Promise<Done> {
  const { connection, crd, version, runId, guard, signal, beforeRequest } = writing;
  const isLossy = (cached: string, schema: ExactJson | undefined) =>
    lossesFrom(parseObject(shown), parseObject(cached), schema).some((loss) => !guard?.accepts(loss));
  let startsFrom = shown;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    try {
      return await write(startsFrom);
    } catch (error) {
      // A failed test gets a 422, like anything else that is wrong with the object, or a conflict in its fields. A dry run tells these apart.
      if (clusterAnswer(error)?.status !== 422) throw error;
      await tryOut();
    }
    await beforeRequest?.(signal);
    const cached = await readCachedObjectText(connection, crd, version, object, { signal, ...(runId && { runId }) });
    const schema = (await knownSchemas(writing))(version);
    startsFrom = cached ?? shown;
    if (startsFrom === shown) continue;
    const longer = startsFrom.length > shown.length ? startsFrom : shown;
    if (await inLongAnswersTurn(longer, connection, signal, () => isLossy(startsFrom, schema))) break;
  }
  throw startsFromCache(object);
}

/** Reads an object for startFromRead. */
export async function readToStartFrom(writing: Writing, object: ObjectName): Promise<string> {
  const { connection, crd, version, runId, signal, beforeRequest } = writing;
  await beforeRequest?.(signal);
  return readObjectText(connection, crd, version, object, { signal, ...(runId && { runId }) });
}

/**
 * Whether the API server may hold objects otherwise than a read shows them, and it matters. Without a webhook, only a new spec converts
 * otherwise, and the API server then fills its cache anew.
 */
export function mayStartElsewhere({ conversion }: Pick<Crd, "conversion">, guard?: { isOff: boolean }): boolean {
  return conversion.strategy === "Webhook" && !guard?.isOff;
}

// Nothing is wrong with the object, so the API server has no such answer: but it is one about this object, which the others needn't share.
function startsFromCache(object: ObjectName): AppError {
  const message = `Its losses are unknown: ${FROM_CACHE} The object was left unchanged.`;
  const error = new AppError("precondition_failed", message);
  const details = { retryAfterMs: null, fields: [], inconsistentContinue: null };
  return withAnswer(error, { ...details, status: 422, reason: "LossUnknown", message, name: object.name });
}
