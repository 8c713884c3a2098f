import type { Connection } from "#lib/cluster/connection/connection.ts";
import { answeringServer } from "#lib/cluster/definitions/answering-server.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { storageVersion } from "#lib/domain/definition/crd.ts";
import { withCaveats } from "#lib/domain/rewrite/run.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import type { Progress } from "#lib/rewrite/run/progress/progress.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";

/**
 * Ends a run while another server answers requests for the storage version: it would rewrite, and prove, that server's objects. Before a
 * proof, notes in the run if nobody can tell.
 * @throws StopRun failed, with the APIService.
 */
export async function requireOwnObjects(
  { heldRun, identity, gate, signal, state }: Progress,
  { beforeProof }: { beforeProof: boolean },
): Promise<void> {
  const { connection, crd } = heldRun;
  const ask = () => answeringServer(connection, crd, identity.storageVersion, signal);
  const answering = await throughGate(gate, signal, ask);
  if (answering.kind === "another") throw new StopRun("failed", `Nothing is proven: ${answering.because}`);
  if (answering.kind !== "unknown" || !beforeProof) return;
  state.run = { ...state.run, caveats: withCaveats(state.run.caveats, [sentence(answering.because)]) };
}

/**
 * Refuses to rely on a proof, or to write objects, while another server answers requests for the storage version.
 * @throws AppError precondition_failed, with the APIService.
 */
export async function refuseOthersObjects(connection: Connection, crdName: string, signal: AbortSignal): Promise<void> {
  const { crd } = await readCrd(connection, crdName, signal);
  const version = storageVersion(crd)?.name;
  if (version === undefined) return;
  const answering = await answeringServer(connection, crd, version, signal);
  if (answering.kind !== "another") return;
  throw new AppError("precondition_failed", sentence(answering.because), { nextStep: "Then rewrite again." });
}

function sentence(because: string): string {
  return because.charAt(0).toUpperCase() + because.slice(1);
}
