import { isFresh } from "#lib/async/is-fresh.ts";
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

type Lane = Crd["conversion"]["strategy"] | "failed";

/**
 * How many definitions are counted at a time, and how many before it is looked again which are due. A count takes up to 30 s where a
 * conversion webhook hangs: with lanes of their own, tens of them delay no definition without a webhook, and those with one only once.
 */
const LANES: Record<Lane, { atATime: number; inRow: number }> = {
  None: { atATime: 3, inRow: Number.POSITIVE_INFINITY },
  Webhook: { atATime: 2, inRow: 10 },
  failed: { atATime: 2, inRow: 10 },
};

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
  /** Whose last count failed. */
  const failed = new Set<string>();
  /** By uid. */
  const counting = new Set<string>();

  const set = (name: string, total: CountedTotal) => {
    const before = totals.get(name);
    // A temporary failure must not hide the last good count, which shows its age.
    if (before?.basis === "list" && total.basis === "failed" && !total.conversionFailure) return;
    totals.set(name, total);
    const crd = crds.get(name);
    const isSame = before?.total === total.total && before.basis === total.basis && before.conversionFailure === total.conversionFailure;
    if (crd && !isSame) onChange(crd);
  };
  let isPainted = false;
  // Reads the metrics once, for the first paint; exact counts replace them as they arrive.
  const paint = async () => {
    const asOf = new Date().toISOString();
    for (const [name, total] of await readMetricTotals(connection, signal)) {
      if (crds.has(name) && !totals.has(name)) set(name, { ...UNCOUNTED, total, basis: "metrics", asOf });
    }
  };
  const laneOf = ({ name, conversion }: Crd): Lane => (failed.has(name) ? "failed" : conversion.strategy);
  const lastTry = ({ name }: Crd) => triedAt.get(name) ?? 0;
  const isDue = (crd: Crd) => !isFresh(lastTry(crd), freshFor(crd, totals.get(crd.name))) && !counting.has(crd.uid);
  const count = async (lane: Lane) => {
    const { atATime, inRow } = LANES[lane];
    const due = [...crds.values()].filter((crd) => laneOf(crd) === lane && isDue(crd));
    const next = due.toSorted((one, other) => lastTry(one) - lastTry(other)).slice(0, inRow);
    for (const { uid } of next) counting.add(uid);
    await countTotals(connection, next, { concurrency: atATime, signal }, (crd, total) => {
      counting.delete(crd.uid);
      // Deleted while being counted, and perhaps created again.
      if (crds.get(crd.name)?.uid !== crd.uid) return;
      triedAt.set(crd.name, Date.now());
      if (total.basis === "failed") failed.add(crd.name);
      else failed.delete(crd.name);
      set(crd.name, total);
    });
  };
  const keep = async (lane: Lane) => {
    for (;;) {
      await sleep(TICK_MS, signal);
      if (!isWanted() || crds.size === 0) continue;
      // Not everyone can read metrics; counting works without them.
      if (!isPainted) paint().catch(() => {});
      isPainted = true;
      await count(lane);
    }
  };
  // Ends only on abort, which nothing waits for.
  for (const lane of ["None", "Webhook", "failed"] as const) {
    keep(lane).catch((error: unknown) => {
      if (!signal.aborted) logProblem("error", { message: `Stopped counting objects: ${String(error)}` });
    });
  }

  return {
    get: (name) => totals.get(name) ?? UNCOUNTED,
    recountSoon(name) {
      triedAt.delete(name);
      failed.delete(name);
    },
    forget(name) {
      totals.delete(name);
      triedAt.delete(name);
      failed.delete(name);
    },
  };
}

function freshFor(crd: Crd, total: CountedTotal | undefined): number {
  if (total?.basis === "denied") return DENIED_FRESH_MS;
  return leftoverVersions(crd).length > 0 ? LEFTOVERS_FRESH_MS : FRESH_MS;
}
