import { sleep } from "#lib/async/sleep.ts";
import { untilAborted } from "#lib/async/until-aborted.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { type DryRun, type ListedDryRun, listedDryRun } from "#lib/domain/losses/dry-run.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { whichMakesRoom } from "./which-makes-room.ts";

/** A dry run of this process. It is only in memory; the annotation keeps its findings. */
export interface KnownDryRun {
  current: DryRun;
  /** Aborted with an AppError, it fails with its words; with anything else, it is cancelled. */
  readonly stop: AbortController;
  ended: Promise<unknown>;
  /** Whose it is, and in which cluster: a definition's name may exist in several clusters. */
  readonly audience: string;
  /** Whom it counts for, whatever their token. */
  readonly owner: string;
  /** Who started it by itself, across tokens; null for one that belongs to a run. */
  person: string | null;
  /** Why it sends nothing at the moment; null while it works. */
  readonly waitsFor: () => string | null;
}

const MIB = 1024 * 1024;
/** The limits of those kept per person, and overall. One that has found much takes a megabyte. */
const MAX_OWN = { count: 50, bytes: 8 * MIB };
const MAX_KNOWN = { count: 500, bytes: 64 * MIB };
/** Each asks the cluster as much as a rewrite. Those of runs don't count: a run waits for its own. */
const MOST_AT_WORK = { ofPerson: 4, inAll: 16 };

function known(): Map<string, KnownDryRun> {
  return processWide("dry-runs", () => new Map());
}

/** Keeps a dry run that begins. Of this owner, or of everyone, the oldest that have ended make room for it. */
export function rememberDryRun(
  { audience, owner, waitsFor }: Pick<KnownDryRun, "audience" | "owner" | "waitsFor">,
  current: DryRun,
): KnownDryRun {
  const all = known();
  const forgetEnded = (among: KnownDryRun[], most: { count: number; bytes: number }) => {
    let count = among.length + 1;
    let bytes = among.reduce((sum, one) => sum + bytesOf(one.current), 0);
    for (const { current: old } of among.filter((one) => one.current.phase !== "running")) {
      if (count <= most.count && bytes <= most.bytes) return;
      all.delete(old.id);
      count -= 1;
      bytes -= bytesOf(old);
    }
  };
  forgetEnded(
    [...all.values()].filter((one) => one.owner === owner),
    MAX_OWN,
  );
  forgetEnded([...all.values()], MAX_KNOWN);
  const dryRun = { current, stop: new AbortController(), ended: Promise.resolve(), audience, owner, person: null, waitsFor };
  all.set(current.id, dryRun);
  return dryRun;
}

const sizes = new WeakMap<DryRun, number>();

/** About what the findings of one that has ended take in memory. */
function bytesOf(dryRun: DryRun): number {
  if (dryRun.phase === "running") return 0;
  const bytes = sizes.get(dryRun) ?? JSON.stringify(dryRun).length;
  sizes.set(dryRun, bytes);
  return bytes;
}

/** Measures one that has ended: all at once, before the next begins, would hold everyone up. */
export function noteEnded(dryRun: DryRun): void {
  bytesOf(dryRun);
}

/**
 * Begins a dry run of this person. Once as many of everyone are running as are allowed, another one ends first: which-makes-room.ts.
 * @throws AppError too_many_requests if this person has as many as are allowed, or if none of the others' has to make room.
 */
export async function beginInRoom(person: string, begin: () => KnownDryRun, signal: AbortSignal): Promise<KnownDryRun> {
  for (let all = running(); all.length >= MOST_AT_WORK.inAll || hasMost(person, all); all = running()) {
    if (hasMost(person, all)) throw tooMany(`${MOST_AT_WORK.ofPerson} of your dry runs are running`);
    const leaving = whichMakesRoom(person, all);
    if (leaving === null) throw tooMany(`${MOST_AT_WORK.inAll} dry runs are running in this crdshift`);
    leaving.stop.abort(whyItMakesRoom(leaving));
    // Not before it has let go of what it read: more would be in memory than are allowed.
    await untilAborted(leaving.ended, signal);
  }
  const dryRun = begin();
  dryRun.person = person;
  return dryRun;
}

function running(): KnownDryRun[] {
  return [...known().values()].filter((one) => one.current.phase === "running" && one.person !== null);
}

function hasMost(person: string, all: readonly KnownDryRun[]): boolean {
  return all.filter((one) => one.person === person).length >= MOST_AT_WORK.ofPerson;
}

function tooMany(what: string): AppError {
  return new AppError("too_many_requests", `${what}, which is the limit.`, { nextStep: "Wait until one ends, or cancel one." });
}

function whyItMakesRoom({ waitsFor }: KnownDryRun): AppError {
  const because = waitsFor();
  const atMost = `At most ${MOST_AT_WORK.inAll} dry runs can run in this crdshift.`;
  if (because === null) {
    const message = `${atMost} This one was ended to make room for somebody who has fewer.`;
    return new AppError("too_many_requests", message, { nextStep: "Repeat it once fewer of yours are running." });
  }
  const message = `${atMost} This one was waiting, and had to make room.`;
  return new AppError("too_many_requests", message, { nextStep: `Repeat it once this is over: ${because}` });
}

/** The dry runs of a definition, newest first, without their findings. */
export function listDryRuns(audience: string, crdName: string): ListedDryRun[] {
  return dryRunsWithFindings(audience, crdName).map(listedDryRun);
}

/** The same with their findings. */
export function dryRunsWithFindings(audience: string, crdName: string): DryRun[] {
  const own = [...known().values()].filter((one) => one.audience === audience && one.current.crd === crdName);
  return own.map(({ current }) => current).reverse();
}

/** Throws AppError not_found, also for dry runs of another process or from before a restart. */
export function findDryRun(audience: string, crdName: string, id: string): KnownDryRun {
  const found = known().get(id);
  if (found && found.audience === audience && found.current.crd === crdName) return found;
  throw new AppError("not_found", `This crdshift has no results of dry run ${id} of ${crdName}. It keeps them until it restarts.`, {
    nextStep: "Start a new dry run for the full results.",
  });
}

/** Ends every dry run of this process. */
export function stopAllDryRuns(): void {
  for (const { stop } of known().values()) stop.abort(new Error("crdshift was shut down"));
}

/** Cancels a dry run. Once this returns, it sends no more requests. Throws AppError conflict if it has ended. */
export async function cancelDryRun(audience: string, crdName: string, id: string): Promise<DryRun> {
  const known = findDryRun(audience, crdName, id);
  if (known.current.phase !== "running") {
    throw new AppError("conflict", `The dry run has already ended: ${known.current.phase}.`, { nextStep: "There is nothing to cancel." });
  }
  known.stop.abort(new Error("cancelled"));
  await known.ended;
  return known.current;
}

const LOOK_EVERY_MS = 250;
/** Every change is sent whole; so many losses make it look twice as seldom. */
const MANY_LOSSES = 50;

/** Yields a dry run's current state, then every change; with `once` only the current state. Throws AppError not_found. */
export function watchDryRun(audience: string, crdName: string, id: string, { once }: { once: boolean }) {
  const known = findDryRun(audience, crdName, id);
  return async function* (signal: AbortSignal): AsyncGenerator<DryRun> {
    for (let shown: DryRun | null = null; ; ) {
      if (known.current !== shown) {
        shown = known.current;
        yield shown;
      }
      if (once || shown.phase !== "running") return;
      await sleep(LOOK_EVERY_MS * (1 + shown.losses.length / MANY_LOSSES), signal);
    }
  };
}
