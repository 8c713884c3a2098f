import { sleep } from "#lib/async/sleep.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { DryRun } from "#lib/domain/losses/dry-run.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/** A dry run of this process. It is only in memory; the annotation keeps its findings. */
export interface KnownDryRun {
  current: DryRun;
  readonly stop: AbortController;
  ended: Promise<unknown>;
  /** Whose it is, and in which cluster: a definition's name may exist in several clusters. */
  readonly audience: string;
  /** Whom it counts for, whatever their token. */
  readonly owner: string;
  /** Who started it by itself, across tokens; null for one that belongs to a run. */
  person: string | null;
}

/** The limits per person and cluster, and overall. */
const MAX_OWN = 50;
const MAX_KNOWN = 500;
/** Each asks the cluster as much as a rewrite. Those of runs don't count: a run waits for its own. */
const MOST_AT_WORK = { ofPerson: 4, inAll: 16 };

function known(): Map<string, KnownDryRun> {
  return processWide("dry-runs", () => new Map());
}

/** Keeps a dry run that begins. Of this owner, or of everyone, the oldest that have ended make room for it. */
export function rememberDryRun({ audience, owner }: Pick<KnownDryRun, "audience" | "owner">, current: DryRun): KnownDryRun {
  const all = known();
  const forgetEnded = (among: KnownDryRun[], most: number) => {
    const ended = among.filter((one) => one.current.phase !== "running");
    for (const { current: old } of ended.slice(0, Math.max(0, among.length + 1 - most))) all.delete(old.id);
  };
  forgetEnded(
    [...all.values()].filter((one) => one.owner === owner),
    MAX_OWN,
  );
  forgetEnded([...all.values()], MAX_KNOWN);
  const dryRun = { current, stop: new AbortController(), ended: Promise.resolve(), audience, owner, person: null };
  all.set(current.id, dryRun);
  return dryRun;
}

/** Throws AppError too_many_requests if this person, or everyone together, has as many dry runs at work as are allowed. */
export function requireRoomForDryRun(person: string): void {
  const atWork = [...known().values()].filter((one) => one.current.phase === "running" && one.person !== null);
  const nextStep = "Wait until one ends, or cancel one.";
  if (atWork.filter((one) => one.person === person).length >= MOST_AT_WORK.ofPerson) {
    throw new AppError("too_many_requests", `${MOST_AT_WORK.ofPerson} of your dry runs are running, which is the limit.`, { nextStep });
  }
  if (atWork.length >= MOST_AT_WORK.inAll) {
    throw new AppError("too_many_requests", `${MOST_AT_WORK.inAll} dry runs are running in this crdshift, which is the limit.`, {
      nextStep,
    });
  }
}

/** The dry runs of a definition, newest first. */
export function listDryRuns(audience: string, crdName: string): DryRun[] {
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
      await sleep(LOOK_EVERY_MS, signal);
    }
  };
}
