import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { requirePatchRight } from "#lib/cluster/rights/require-patch-right.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { asOf } from "#lib/domain/rewrite/run.ts";
import { requireRunAccess } from "#lib/rewrite/guards/require-run-access.ts";
import type { RunKey } from "#lib/rewrite/run/run-key.ts";
import { controlOf, stopRunning } from "#lib/rewrite/run/running.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";

/**
 * Stops a run of this process whose record says that it is interrupted: its connection can't write it any more, and whoever resumes the run
 * over this one may. Once this returns, it sends nothing more.
 * @throws AppError forbidden, with these words, for whoever can't patch the definition, and as requireRunAccess.
 */
export async function stopSilentRun(connection: Connection, key: RunKey, denied: { message: string }, signal: AbortSignal): Promise<void> {
  const control = controlOf(key);
  if (control === null || control === "ending") return;
  const { crd } = await readCrd(connection, key.crd, signal);
  const recorded = readableRecord(crd)?.runs.find(({ id }) => id === key.id);
  if (crd.uid !== control.uid || !recorded || asOf(recorded, Date.now()).phase !== "interrupted") return;
  await requirePatchRight(connection, key.crd, denied, signal);
  await requireRunAccess(connection, key.crd, key.id, signal);
  if (controlOf(key) === control) await stopRunning(key, new StopRun("interrupted", "crdshift couldn't renew the rewrite's record."));
}
