import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { type CountedTotal, countTotals, readMetricTotals, UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { leftoverVersions } from "#lib/domain/definition/stored-versions.ts";
import { logProblem } from "#lib/process-wide/log-problem.ts";

/** How many objects each definition has, counted again while someone is viewing. */
export interface Totals {
  get(crdName: string): CountedTotal;
  recountSoon(crdName: string): void;
  forget(crdName: string): void;
}

const TICK_MS = 500;
const FRESH_MS = 60_000;
/** Definitions that need work are few, and counted more often. */
const LEFTOVERS_FRESH_MS = 10_000;
/** Users who can list only a few definitions' objects must not fill the audit log with denials. */
const DENIED_FRESH_MS = 5 * 60_000;

/** Counts until the signal aborts; `crds` is the current set of definitions, and `isWanted` says whether someone is viewing. */
export function keepTotals(options: {
  connection: Connection;
  crds: ReadonlyMap<string, Crd>;
  isWanted: () => boolean;
  onChange: (crd: Crd) => void;
  signal: AbortSignal;
}): Totals {
  const { connection, crds, isWanted, onChange, signal } = options;
  const totals = new Map<string, CountedTotal>();
  const triedAt = new Map<string, number>();

  const set = (name: string, total: CountedTotal) => {
    const before = totals.get(name);
    // A temporary failure must not hide the last good count, which shows its age.
    if (before?.basis === "list" && total.basis === "failed" && !total.conversionFailure) return;
    totals.set(name, total);
    const crd = crds.get(name);
    const isSame = before?.total === total.total && before.basis === total.basis && before.conversionFailure === total.conversionFailure;
    if (crd && !isSame) onChange(crd);
  };
  // Reads the metrics once, for the first paint; exact counts replace them as they arrive.
  const paint = async () => {
    const asOf = new Date().toISOString();
    for (const [name, total] of await readMetricTotals(connection, signal)) {
      if (crds.has(name) && !totals.has(name)) set(name, { ...UNCOUNTED, total, basis: "metrics", asOf });
    }
  };
  const count = async () => {
    const due = [...crds.values()].filter((crd) => Date.now() - (triedAt.get(crd.name) ?? 0) > freshFor(crd, totals.get(crd.name)));
    await countTotals(connection, due, signal, (crd, total) => {
      // Deleted while being counted, and perhaps created again.
      if (crds.get(crd.name)?.uid !== crd.uid) return;
      triedAt.set(crd.name, Date.now());
      set(crd.name, total);
    });
  };
  const keep = async () => {
    for (let painted = false; ; ) {
      await sleep(TICK_MS, signal);
      if (!isWanted() || crds.size === 0) continue;
      // Not everyone can read metrics; counting works without them.
      if (!painted) paint().catch(() => {});
      painted = true;
      await count();
    }
  };
  // Ends only on abort, which nothing waits for.
  keep().catch((error: unknown) => {
    if (!signal.aborted) logProblem("error", { message: `Stopped counting objects: ${String(error)}` });
  });

  return {
    get: (name) => totals.get(name) ?? UNCOUNTED,
    recountSoon: (name) => void triedAt.delete(name),
    forget(name) {
      totals.delete(name);
      triedAt.delete(name);
    },
  };
}

function freshFor(crd: Crd, total: CountedTotal | undefined): number {
  if (total?.basis === "denied") return DENIED_FRESH_MS;
  return leftoverVersions(crd).length > 0 ? LEFTOVERS_FRESH_MS : FRESH_MS;
}
