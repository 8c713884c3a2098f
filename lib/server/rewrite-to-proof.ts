import { sleep } from "#lib/async/sleep.ts";
import { connect } from "#lib/cluster/connection/connection.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { readRun } from "#lib/cluster/history/read-runs.ts";
import { isLive } from "#lib/domain/rewrite/run.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { chooseKubeconfig } from "#lib/settings/env.ts";

/** Safe in the demo's cluster: its only client waits for this, so no slow request can be in flight. */
export const DEMO_SETTLE_SECONDS = 5;
const DEADLINE_MS = 120_000;

/** Runs a real rewrite from start to proof, for the demo's prunable definition. Throws Error if it ends any other way. */
export async function rewriteToProof(target: { kubeconfig: string; context: string; crd: string }): Promise<void> {
  chooseKubeconfig(target.kubeconfig);
  const connection = await connect(target.context);
  const signal = AbortSignal.timeout(DEADLINE_MS);
  let run = await startRewrite(connection, target.crd, { settleSeconds: DEMO_SETTLE_SECONDS, signal });
  while (isLive(run)) {
    await sleep(250, signal);
    run = await readRun(connection, target.crd, run.id, signal);
  }
  // Forgets the counts it made while the demo's content was still being created.
  fleetOf(connection).stop();
  if (run.phase !== "succeeded")
    throw new Error(`The demo's rewrite of ${target.crd} ended ${run.phase}: ${run.statusReason ?? "no reason given"}`);
}
