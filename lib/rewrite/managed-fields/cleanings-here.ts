import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { definitionKey } from "#lib/cluster/definitions/evidence/per-definition.ts";
import { mayPatch } from "#lib/cluster/rights/require-patch-right.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { clockTime } from "#lib/domain/wording/local-time.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

const ASK_WITHIN_MS = 5_000;
/** Each asks the cluster as much as a rewrite does, also as a dry run, and one of objects of a megabyte takes 45 MiB. */
const MOST_AT_WORK = { ofPerson: 2, inAll: 6 };

/**
 * A place for a cleaning of this person, to be given back with what this returns.
 * @throws AppError too_many_requests if this person, or everyone, has as many as are allowed.
 */
export function takePlace(person: string): () => void {
  const places = processWide("places-of-cleanings", () => new Set<{ person: string }>());
  const own = [...places].filter((one) => one.person === person).length;
  if (own >= MOST_AT_WORK.ofPerson) throw tooMany(`${own} of your cleanings are running`);
  if (places.size >= MOST_AT_WORK.inAll) throw tooMany(`${places.size} cleanings are running in this crdshift`);
  const place = { person };
  places.add(place);
  return () => void places.delete(place);
}

function tooMany(what: string): AppError {
  return new AppError("too_many_requests", `${what}, which is the limit.`, { nextStep: "Wait until one ends, or stop one, then retry." });
}

/**
 * A cleaning of this process. From its first write on, it holds back changes of the definition's spec, if its user may make such changes, too:
 * whoever may only list the objects, or write a few of them, must not be in the way of those who may.
 */
export interface CleaningHere {
  /** Asks the cluster for that right. If the cluster can't say, the cleaning holds nobody back, and ends once the spec changes. */
  askRight(signal: AbortSignal): Promise<void>;
  begin(): void;
  end(): void;
}

export function cleaningHere(connection: Connection, { name, uid }: Pick<Crd, "name" | "uid">): CleaningHere {
  const cleaning = { key: definitionKey(connection, uid), startedAt: new Date().toISOString() };
  let mayHold = false;
  let hasEnded = false;
  return {
    async askRight(signal) {
      const within = AbortSignal.any([signal, AbortSignal.timeout(ASK_WITHIN_MS)]);
      mayHold = await mayPatch(connection, name, within).then(
        ({ allowed }) => allowed,
        () => false,
      );
    },
    begin() {
      if (mayHold && !hasEnded) cleanings().add(cleaning);
    },
    end() {
      hasEnded = true;
      cleanings().delete(cleaning);
    },
  };
}

/**
 * Refuses a change of a definition's spec while this process cleans its objects for someone who may change it: each is stored as the spec
 * was when the cleaning began.
 * @throws AppError conflict
 */
export function refuseWhileCleaning(cluster: ClusterAddress, { uid }: Pick<Crd, "uid">): void {
  const key = definitionKey(cluster, uid);
  const cleaning = [...cleanings()].find((one) => one.key === key);
  if (!cleaning) return;
  const since = clockTime(cleaning.startedAt, Date.now());
  const message = `crdshift has been cleaning managedFields of its objects since ${since}, and changing the definition now would stop that.`;
  throw new AppError("conflict", message, {
    nextStep: "Wait until the cleaning ends, or stop it where it was started, then retry. Objects already cleaned stay clean.",
  });
}

/** All under way in this process; several may be about one definition. */
function cleanings(): Set<{ key: string; startedAt: string }> {
  return processWide("cleanings", () => new Set());
}
