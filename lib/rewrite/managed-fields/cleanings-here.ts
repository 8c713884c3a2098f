import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { definitionKey } from "#lib/cluster/definitions/evidence/per-definition.ts";
import { mayI } from "#lib/cluster/rights/read-rights.ts";
import { mayPatch } from "#lib/cluster/rights/require-patch-right.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { clockTime } from "#lib/domain/wording/local-time.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";

const ASK_WITHIN_MS = 5_000;
const MOST_OF_PERSON = 2;
/**
 * Each asks the cluster as much as a rewrite does, also as a dry run, and one of objects of a megabyte takes 45 MiB. Dry runs have places
 * of their own.
 */
const MOST_IN_ALL = { dryRun: 4, real: 6 };

/** Who cleans, and how. `objects`: whether they may patch all of the objects. */
interface Asking extends Pick<CleanersRights, "objects"> {
  person: string;
  dryRun: boolean;
}

/**
 * A place for a cleaning of this person, to be given back with what this returns. Those who may not patch all of the objects have at most half
 * of the places, and one each: theirs may come to nothing.
 * @throws AppError too_many_requests if this person, these people, or everyone has as many as are allowed.
 */
export function takePlace(place: Asking): () => void {
  const places = processWide("places-of-cleanings", () => new Set<Asking>());
  const alike = [...places].filter(({ dryRun }) => dryRun === place.dryRun);
  const what = place.dryRun ? "dry runs of cleanings" : "cleanings";
  const most = MOST_IN_ALL[place.dryRun ? "dryRun" : "real"];
  const own = alike.filter(({ person }) => person === place.person).length;
  if (own >= (place.objects ? MOST_OF_PERSON : 1)) throw tooMany(`${own} of your ${what} ${own === 1 ? "is" : "are"} running`);
  if (alike.length >= most) throw tooMany(`${alike.length} ${what} are running in this crdshift`);
  const limited = alike.filter(({ objects }) => !objects).length;
  if (!place.objects && limited >= most / 2) throw tooMany(`${limited} ${what} are running for people who can't patch all the objects`);
  places.add(place);
  return () => void places.delete(place);
}

function tooMany(what: string): AppError {
  return new AppError("too_many_requests", `${what}, which is the limit.`, { nextStep: "Wait until one ends, or stop one, then retry." });
}

/** What the user of a cleaning may patch, as far as the cluster says: if it can't say, not that. */
export interface CleanersRights {
  definition: boolean;
  /** All of its objects, in every namespace. */
  objects: boolean;
}

export async function cleanersRights(connection: Connection, crd: Crd, signal: AbortSignal): Promise<CleanersRights> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(ASK_WITHIN_MS)]);
  const isAllowed = (asked: ReturnType<typeof mayI>) =>
    asked.then(
      ({ allowed }) => allowed,
      () => false,
    );
  const objects = { verb: "patch", group: crd.group, resource: crd.plural } as const;
  const [mayPatchDefinition, mayPatchObjects] = await Promise.all([
    isAllowed(mayPatch(connection, crd.name, within)),
    isAllowed(mayI(connection, objects, within)),
  ]);
  signal.throwIfAborted();
  return { definition: mayPatchDefinition, objects: mayPatchObjects };
}

/**
 * A cleaning of this process. From its first write on, it is the definition's only one here, and holds back rewrites and changes of the
 * definition's spec, if its user may make such changes, too: whoever may only list the objects, or write a few of them, must not be in the
 * way of those who may.
 */
export interface CleaningHere {
  /**
   * @throws AppError conflict while another cleaning of the definition writes, unless this one's user may do more: then that one ends at this
   * one's first write.
   */
  refuseBeside(): void;
  /** Ends whichever of two may not go on. */
  begin(): void;
  end(): void;
}

interface Cleaning {
  key: string;
  startedAt: string;
  rights: CleanersRights;
  ending: AbortController;
}

export function cleaningHere(
  connection: Connection,
  { uid }: Pick<Crd, "uid">,
  { rights, ending }: Pick<Cleaning, "rights" | "ending">,
): CleaningHere {
  const cleaning: Cleaning = { key: definitionKey(connection, uid), startedAt: new Date().toISOString(), rights, ending };
  let hasEnded = false;
  const others = () => [...cleanings()].filter((one) => one !== cleaning && one.key === cleaning.key);
  const inTheWay = () => others().find((one) => rankOf(one) >= rankOf(cleaning));
  return {
    refuseBeside() {
      const other = inTheWay();
      if (other) throw underWay(other, "and two at once could take fields from their owners.");
    },
    begin() {
      if (hasEnded || cleanings().has(cleaning)) return;
      if (inTheWay()) return ending.abort(besideAnother());
      for (const other of others()) other.ending.abort(madeWay());
      cleanings().add(cleaning);
    },
    end() {
      hasEnded = true;
      cleanings().delete(cleaning);
    },
  };
}

function rankOf({ rights }: Cleaning): number {
  if (rights.definition) return 2;
  return rights.objects ? 1 : 0;
}

function besideAnother(): StopRun {
  return new StopRun(
    "failed",
    "Another cleaning of the definition's objects began at the same time: two could take fields from their owners.",
  );
}

// Not as failed: what it has taken from owners it still gives back (outlasting).
function madeWay(): StopRun {
  const by = "Someone who may change more is cleaning the definition's objects, and two cleanings could take fields from their owners.";
  return new StopRun("cancelled", by);
}

/**
 * Refuses a change of a definition's spec while this process cleans its objects for someone who may change it: each is stored as the spec
 * was when the cleaning began.
 * @throws AppError conflict
 */
export function refuseWhileCleaning(cluster: ClusterAddress, crd: Pick<Crd, "uid">): void {
  const cleaning = holdingBack(cluster, crd);
  if (cleaning) throw underWay(cleaning, "and changing the definition now would stop that.");
}

/**
 * Refuses a rewrite meanwhile. Any other cleaning ends once a rewrite is on record.
 * @throws AppError conflict
 */
export function refuseRewriteWhileCleaning(cluster: ClusterAddress, crd: Pick<Crd, "uid">): void {
  const cleaning = holdingBack(cluster, crd);
  if (cleaning) throw underWay(cleaning, "and a rewrite beside that could take fields from their owners.");
}

function holdingBack(cluster: ClusterAddress, { uid }: Pick<Crd, "uid">): Cleaning | undefined {
  const key = definitionKey(cluster, uid);
  return [...cleanings()].find((one) => one.key === key && one.rights.definition);
}

function underWay({ startedAt }: Cleaning, consequence: string): AppError {
  const since = clockTime(startedAt, Date.now());
  return new AppError("conflict", `crdshift has been cleaning managedFields of its objects since ${since}, ${consequence}`, {
    nextStep: "Wait until the cleaning ends, or stop it where it was started, then retry. Objects already cleaned stay clean.",
  });
}

/** Those under way in this process that have begun to write. */
function cleanings(): Set<Cleaning> {
  return processWide("cleanings", () => new Set());
}
