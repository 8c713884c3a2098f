import { listObjects } from "#lib/cluster/objects/object-pages.ts";
import { firstThatLists } from "#lib/cluster/objects/version-to-read.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { halvedWhileTooLarge } from "#lib/cluster/transport/whole-answer.ts";
import { storageVersion } from "#lib/domain/definition/crd.ts";
import { otherServedVersions } from "#lib/domain/definition/stored-versions.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";
import type { Failing } from "#lib/rewrite/pacing/outage-gate.ts";
import { type Sending, sendAside } from "./send-aside.ts";
import { type TrialOutcome, worksFor } from "./works-for.ts";

/** What the comparisons so far have found. */
export interface ComparedSoFar {
  /** The object for which it worked last; it is tried first. */
  worked: ObjectName | null;
  /** The token of the page that is tried next. */
  next: string | null;
}

/** With no other object to try, one that fails for this long while lists succeed is at fault. */
const ALONE_AFTER_MS = 2 * 60_000;
const RENEWED_WITHIN_MS = 60_000;
const UNTOLD: TrialOutcome = { kind: "untold" };
const LISTED = 500;
const TRIED = 3;

/**
 * Whether an object that fails for ever does so alone: what fails for it works for another object, one of those that aren't `failing`.
 * Where none shows it, as when a policy denies all others, it has to fail for two minutes while lists succeed, and nothing else fails or
 * other writes succeed; where only storing fails, the run's record may be what was stored. Otherwise all of them may fail, as when a
 * webhook is down. Throws the signal's reason.
 * @returns when what showed it was sent, by performance.now(); null if nothing shows it.
 */
export async function failsAlone(
  context: Sending,
  object: ObjectName,
  { kind, since, failing, compared }: { kind: Failing; since: number; failing: ReadonlySet<ObjectName>; compared: ComparedSoFar },
): Promise<number | null> {
  const { signal, gate } = context;
  // Later it may wait for long, as during a pause, while nothing fails.
  const begunAt = performance.now();
  const isFailing = new Set([...failing, object].map(fullName));
  let hasFailed = false;
  try {
    for await (const other of othersToTry(context, compared, (one) => !isFailing.has(fullName(one)))) {
      // Its dry run wouldn't show it; that lists succeed is needed all the same.
      const outcome = kind === "storing" ? UNTOLD : await worksFor(context, kind, other);
      hasFailed ||= outcome.kind === "failed";
      if (outcome.kind !== "worked") continue;
      compared.worked = other;
      return outcome.at;
    }
  } catch {
    signal.throwIfAborted();
    return null;
  }
  // The record is stored in the same etcd.
  const storedAt = gate.record.releasedAt() > begunAt - RENEWED_WITHIN_MS ? begunAt : gate.lastWorkedAt("storing");
  const othersGoOn = isFailing.size === 1 || (kind === "storing" ? storedAt : gate.lastWorkedAt("write")) > since;
  return !hasFailed && othersGoOn && begunAt - since > ALONE_AFTER_MS ? begunAt : null;
}

/**
 * Those that an earlier run rejected fail again, and may fill the first page. So some of many are tried, each time also some of a page
 * further on; after the last page, or once the token has expired, the second page is next.
 */
async function* othersToTry(
  context: Sending,
  compared: ComparedSoFar,
  mayTry: (object: ObjectName) => boolean,
): AsyncGenerator<ObjectName> {
  yield* [compared.worked].filter((object) => object !== null).filter(mayTry);
  const first = await page(context, null);
  if (!first) throw new Error("No list succeeds.");
  yield* sampleOf(first.objects.filter(mayTry));
  if (first.next === null) return;
  const later = await page(context, compared.next ?? first.next);
  compared.next = later?.next ?? null;
  yield* sampleOf((later?.objects ?? []).filter(mayTry));
}

function page(context: Sending, next: string | null) {
  const { connection, crd, signal, runId } = context;
  const storage = storageVersion(crd)?.name ?? "";
  const options = { next, signal, ...(runId && { runId }) };
  const list = (version: string) =>
    halvedWhileTooLarge(LISTED, (limit) => sendAside(context, null, () => listObjects(connection, crd, { version, limit, ...options })));
  return firstThatLists([storage, ...otherServedVersions(crd, storage)], list, (error) => clusterAnswer(error) !== null);
}

function sampleOf(objects: readonly ObjectName[]): ObjectName[] {
  const left = [...objects];
  return Array.from({ length: Math.min(TRIED, left.length) }, () => left.splice(Math.floor(Math.random() * left.length), 1)).flat();
}
