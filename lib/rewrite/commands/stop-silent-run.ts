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
 * Stops a run of this process over another connection whose record says that it is interrupted: that one can't write it any more, and whoever
 * resumes the run over this one may. Once this returns, it sends nothing more.
 * @throws AppError forbidden, with these words, for whoever can't patch the definition, and as requireRunAccess.
 */
export async function stopSilentRun(connection: Connection, key: RunKey, denied: { message: string }, signal: AbortSignal): Promise<void> {
  const control = controlOf(key);
  if (control === null || control === "ending" || control.connection === connection) return;
  const isSilent = async () => {
    const { crd } = await readCrd(connection, key.crd, signal);
    const recorded = readableRecord(crd)?.runs.find(({ id }) => id === key.id);
    return crd.uid === control.uid && recorded !== undefined && asOf(recorded, Date.now()).phase === "interrupted";
  };
  if (!(await isSilent())) return;
  await requirePatchRight(connection, key.crd, denied, signal);
  // It may have been renewed meanwhile.
  if (!(await isSilent())) return;
  await requireRunAccess(connection, key.crd, key.id, signal);
  if (controlOf(key) === control) await stopRunning(key, new StopRun("interrupted", "crdshift couldn't renew the rewrite's record."));
}
