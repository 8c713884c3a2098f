import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { crdshiftVersion } from "#lib/cluster/transport/crdshift-version.ts";
import { readServerVersion } from "#lib/cluster/transport/discovery.ts";
import { type RewriteReport, reportOf } from "#lib/domain/record/report.ts";
import { readableRecord } from "#lib/domain/rewrite/run.ts";
import { knownCrd, noSuchRun } from "./read-runs.ts";

/**
 * All that is on record of a run, read afresh. Throws AppError not_found for one that the annotation does not remember, and the cluster's
 * error where the definition can't be read: a report is not made from what was seen a while ago.
 */
export async function readReport(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<RewriteReport> {
  await knownCrd(connection, crdName, signal);
  const { crd: fresh } = await readCrd(connection, crdName, signal);
  const fleet = fleetOf(connection);
  fleet.noteCrd(fresh);
  // What else is known of it: counts in etcd, versions taken out unproven, and a run of this process between two renewals.
  const crd = fleet.crd(crdName) ?? fresh;
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
  return reportOf(crd, record, run, context, Date.now());
}
