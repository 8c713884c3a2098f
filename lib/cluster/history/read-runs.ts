import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readKnownCrd } from "#lib/cluster/fleet/read-known-crd.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { asOf, type Run } from "#lib/domain/rewrite/run.ts";

/** The runs in the definition's annotation, newest first. */
export async function readRuns(connection: Connection, crdName: string, signal: AbortSignal): Promise<Run[]> {
  const crd = await readKnownCrd(connection, crdName, signal);
  return (readableRecord(crd)?.runs ?? []).map((run) => asOf(run, Date.now()));
}

/** One run. Throws AppError not_found. */
export async function readRun(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<Run> {
  const run = (await readRuns(connection, crdName, signal)).find(({ id }) => id === runId);
  if (run) return run;
  throw noSuchRun(crdName, runId);
}

/** The error for a run that isn't in the annotation. */
export function noSuchRun(crdName: string, runId: string): AppError {
  return new AppError("not_found", `${crdName} has no rewrite ${runId}.`, {
    nextStep: "Only the last five runs are kept. See the definition's page.",
  });
}
