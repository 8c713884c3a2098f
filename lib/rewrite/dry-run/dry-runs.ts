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
}

/** The limits per person and cluster, and overall. */
const MAX_OWN = 50;
const MAX_KNOWN = 500;

function known(): Map<string, KnownDryRun> {
  return processWide("dry-runs", () => new Map());
}

export function rememberDryRun(audience: string, current: DryRun): KnownDryRun {
  const all = known();
  const forgetEnded = (among: KnownDryRun[], most: number) => {
    const ended = among.filter((one) => one.current.phase !== "running");
    for (const { current: old } of ended.slice(0, Math.max(0, among.length + 1 - most))) all.delete(old.id);
  };
  forgetEnded(
    [...all.values()].filter((one) => one.audience === audience),
    MAX_OWN,
  );
  forgetEnded([...all.values()], MAX_KNOWN);
  const dryRun = { current, stop: new AbortController(), ended: Promise.resolve(), audience };
  all.set(current.id, dryRun);
  return dryRun;
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
  throw new AppError("not_found", `${crdName} has no dry run ${id} in this process.`, {
    nextStep: "See its findings on the definition's page, or start a new dry run for the full results.",
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
