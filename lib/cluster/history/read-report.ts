import type { Connection } from "#lib/cluster/connection/connection.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { readIntoFleet } from "#lib/cluster/fleet/read-into-fleet.ts";
import { readKnownCrd } from "#lib/cluster/fleet/read-known-crd.ts";
import { readServerVersion } from "#lib/cluster/transport/discovery.ts";
import { crdshiftVersion } from "#lib/cluster/transport/request.ts";
import { type RewriteReport, reportOf } from "#lib/domain/audit/report.ts";
import type { DryRun } from "#lib/domain/losses/dry-run.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";

import { noSuchRun } from "./read-runs.ts";

/**
 * Everything on record about a run, from a fresh read. Throws AppError not_found if the annotation doesn't have the run, and the
 * cluster's error if the definition can't be read: a report never uses stale data. `dryRuns` add the values of losses.
 */
export async function readReport(
  connection: Connection,
  crdName: string,
  runId: string,
  signal: AbortSignal,
  dryRuns: readonly DryRun[] = [],
): Promise<RewriteReport> {
  await readKnownCrd(connection, crdName, signal);
  const fresh = await readIntoFleet(connection, crdName, signal);
  // Adds what this process knows: counts in etcd, versions removed without proof, and its own run between two renewals.
  const crd = fleetOf(connection).crd(crdName) ?? fresh;
  const record = readableRecord(crd);
  const run = record?.runs.find(({ id }) => id === runId);
  if (!record || !run) throw noSuchRun(crdName, runId);
  const version = await readServerVersion(connection, signal).catch(() => null);
  signal.throwIfAborted();
  const context = {
    madeAt: new Date().toISOString(),
    madeWith: crdshiftVersion,
    cluster: { context: connection.name, server: connection.server, version },
  };
  return reportOf(crd, record, run, context, Date.now(), dryRuns);
}
