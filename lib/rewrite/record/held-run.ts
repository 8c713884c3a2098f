import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Fleet } from "#lib/cluster/fleet/fleet.ts";
import { fleetOf, otherFleetsOfOwner } from "#lib/cluster/fleet/fleet-of.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { RestoredEtcd } from "#lib/domain/definition/restored-etcd.ts";
import { type RewriteRecord, readableRecord } from "#lib/domain/record/rewrite-record.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import type { RunControl } from "#lib/rewrite/run/running.ts";

/** A started run: its record is written and names this process as the holder. */
export interface HeldRun {
  connection: Connection;
  crd: Crd;
  run: Run;
  settleSeconds: number;
  control: RunControl;
  /** The last restore of etcd that this process had noticed before it read the definition. */
  lastRestore: RestoredEtcd | null;
  /**
   * Its last renewal that this process knows to be written, at first its beginning, and those sent since, whose answers may be lost. A restore
   * of etcd may bring an earlier one back; by a clock that was set back, a later one looks older.
   */
  renewals?: readonly string[];
}

/** The record with the run in place of its newest. */
export function withRun(record: RewriteRecord, run: Run): RewriteRecord {
  return { ...record, runs: [run, ...record.runs.slice(1)] };
}

type Shown = Pick<HeldRun, "connection" | "crd"> & { run: Pick<Run, "id"> };

/** Shows this process's state of a run to its owner, whichever of their credentials they look with; null to show the annotation again. */
export function showRun(held: Shown, run: Run | null): void {
  const { connection, crd } = held;
  fleetOf(connection).noteRun(crd.name, run);
  for (const fleet of otherFleetsOfOwner(connection)) if (hasRun(fleet, held)) fleet.noteRun(crd.name, run);
}

// By now, there may be another cluster at that address, or another run.
function hasRun(fleet: Fleet, { crd: { name, uid }, run: { id } }: Shown): boolean {
  const seen = fleet.lastSeen(name);
  return seen?.uid === uid && readableRecord(seen)?.runs[0]?.id === id;
}

/** Stops showing this process's state of the run: from now on the annotation tells, or an end that couldn't be recorded there. */
export function letGo(heldRun: Shown): void {
  showRun(heldRun, null);
}
