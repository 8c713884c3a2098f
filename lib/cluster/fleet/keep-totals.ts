import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readMetricTotals } from "#lib/cluster/objects/metric-totals.ts";
import { type CountedTotal, countTotals, UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { leftoverVersions } from "#lib/domain/definition/stored-versions.ts";
import { logProblem } from "#lib/process-wide/log-problem.ts";

/** How many objects each definition has, counted again while somebody looks. */
export interface Totals {
  get(crdName: string): CountedTotal;
  recountSoon(crdName: string): void;
  forget(crdName: string): void;
}

const TICK_MS = 500;
const FRESH_MS = 60_000;
/** The few that somebody may be about to work on are counted more often. */
const LEFTOVERS_FRESH_MS = 10_000;
/** Whoever may see few of many definitions' objects must not fill the audit log with refusals. */
const DENIED_FRESH_MS = 5 * 60_000;

/** Begins to count; `crds` are the definitions of the moment, `isWanted` whether anybody looks. Ends with the signal. */
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
    // A passing failure must not hide the last good count; its age says how old it is.
    if (before?.basis === "list" && total.basis === "failed" && !total.conversionFailure) return;
    totals.set(name, total);
    const crd = crds.get(name);
    if (crd && (before?.total !== total.total || before?.basis !== total.basis)) onChange(crd);
  };
  // One look at the metrics, for the first paint; the exact counts replace them as they arrive.
  const paint = async () => {
    const asOf = new Date().toISOString();
    for (const [name, total] of await readMetricTotals(connection, signal)) {
      if (crds.has(name) && !totals.has(name)) set(name, { ...UNCOUNTED, total, basis: "metrics", asOf });
    }
  };
  const count = async () => {
    const due = [...crds.values()].filter((crd) => Date.now() - (triedAt.get(crd.name) ?? 0) > freshFor(crd, totals.get(crd.name)));
    await countTotals(connection, due, signal, (crd, total) => {
      // Deleted while it was counted, and perhaps created anew.
      if (crds.get(crd.name)?.uid !== crd.uid) return;
      triedAt.set(crd.name, Date.now());
      set(crd.name, total);
    });
  };
  const keep = async () => {
    for (let painted = false; ; ) {
      await sleep(TICK_MS, signal);
      if (!isWanted() || crds.size === 0) continue;
      // Not everybody may read metrics; the counts do without.
      if (!painted) paint().catch(() => {});
      painted = true;
      await count();
    }
  };
  // It ends only with the abort, which nobody waits for.
  keep().catch((error: unknown) => {
    if (!signal.aborted) logProblem("error", { message: `Totals are no longer counted: ${String(error)}` });
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
