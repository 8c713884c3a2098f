import { sleep } from "#lib/async/sleep.ts";
import { connect, contextsFor } from "#lib/cluster/connection/connect.ts";
import { anonymousCredentials, ownCredentials } from "#lib/cluster/connection/credentials.ts";
import { kubeconfigFiles } from "#lib/cluster/connection/kubeconfig.ts";
import { takeUserKey } from "#lib/cluster/definitions/evidence/own-key.ts";
import { readEtcdCredentials } from "#lib/cluster/etcd/etcd-credentials.ts";
import { fleetOf, silenceFleets } from "#lib/cluster/fleet/fleet-of.ts";
import { readRun } from "#lib/cluster/history/read-runs.ts";
import { printable } from "#lib/cluster/transport/printable.ts";
import { isLive } from "#lib/domain/rewrite/run.ts";
import type { Demo } from "#lib/local-cluster/start-demo.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { shutDownRuns } from "#lib/rewrite/run/running.ts";
import { chooseKubeconfig, chooseReadOnly, chooseSettleSeconds, type Env, readEnv, unknownSettings } from "#lib/settings/env.ts";
import { isInPod, isReadOnly, modeOf } from "#lib/sign-in/mode.ts";
import { askDefaultCluster } from "#lib/sign-in/sign-in.ts";
import { outliveOutput } from "./outlive-output.mjs";
import { readOptions } from "./read-options.ts";
import { explain, kubectlHint, tellReach, tellSignInLink } from "./start-messages.ts";
import { type Server, startServer } from "./start-server.ts";

outliveOutput();
const startedAt = performance.now();
const stopping = new AbortController();

// What started this process is gone, even if it was killed (bootstrap/start.mjs): end in order, too.
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));

async function main(): Promise<void> {
  const values = readOptions();
  if (values["read-only"]) chooseReadOnly();
  // First, since a misspelled setting may cause the errors below.
  for (const told of unknownSettings()) console.error(`Warning: ${printable(told)}`);
  const env = readEnv();
  const mode = modeOf(env);
  // Every count reads them again, but a missing file is best reported at startup.
  readEtcdCredentials(env);
  const keyProblem = takeUserKey(env);
  if (keyProblem) console.error(`Warning: ${printable(keyProblem)}`);
  const wantsDemo = values.demo || values.reset || !hasCluster(env);
  if (wantsDemo && env.CRDSHIFT_CONTAINER) {
    throw new Error("No cluster found, and the image has no demo.\nRun it in a pod, or mount a kubeconfig and set KUBECONFIG to it.");
  }
  const demo = wantsDemo ? await openDemo(values.reset) : null;
  let server: Server | null = null;
  onSignal(async () => {
    silenceFleets();
    await shutDownRuns();
    await server?.close();
    await demo?.stop();
  });
  // Report problems with the kubeconfig at startup.
  contextsFor(mode === "token" ? anonymousCredentials : ownCredentials);
  const readOnly = isReadOnly(env);
  // Tokens must not travel over plain http, which is all that HOST's own name offers.
  const listeningHost = mode === "token" ? "" : env.HOST;
  server = await startServer({
    ...{ host: env.HOST, port: env.PORT, dev: values.dev, tokenHeader: env.CRDSHIFT_TOKEN_HEADER },
    rules: { listeningHost, origins: env.CRDSHIFT_ORIGINS, readOnly, inPod: isInPod(env), metrics: env.CRDSHIFT_METRICS },
  });
  console.log(`crdshift is ready at ${server.url} after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  const reach = tellReach({ address: server.address, listeningHost, origins: env.CRDSHIFT_ORIGINS, inPod: isInPod(env) });
  if (reach) console.log(reach);
  if (demo) console.log(`Demo cluster: ${kubectlHint(demo)}`);
  if (mode === "local") await tellSignInLink({ open: !values["no-open"] && process.stdout.isTTY });
  if (mode === "unsafe-shared-readonly") {
    console.error("Warning: anyone who can reach this address reads the cluster with this process's account (CRDSHIFT_MODE).");
  }
  if (readOnly) console.log("Read-only: nothing can be changed.");
  await askDefaultCluster(stopping.signal).catch(warnUnlessStopping);
}

function hasCluster(env: Env): boolean {
  return kubeconfigFiles(env).length > 0 || isInPod(env);
}

async function openDemo(reset: boolean): Promise<Demo> {
  chooseSettleSeconds(DEMO_SETTLE_SECONDS);
  // Loaded only for the demo.
  const { startDemo } = await import("#lib/local-cluster/start-demo.ts");
  const demo = await startDemo({ reset, log: (line) => console.log(printable(line)), signal: stopping.signal, rewriteToProof });
  chooseKubeconfig(demo.kubeconfig);
  return demo;
}

// The dashboard works while the cluster is unreachable: every page says so, and it recovers by itself.
function warnUnlessStopping(error: unknown): void {
  if (!stopping.signal.aborted) console.error(`Warning: ${explain(error)}`);
}

function onSignal(stop: () => Promise<void>): void {
  const end = () => {
    if (stopping.signal.aborted) return;
    stopping.abort(new Error("crdshift is stopping"));
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(explain(error));
        process.exit(1);
      },
    );
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  // A closed terminal.
  process.on("SIGHUP", end);
}

/** Safe in the demo's cluster: its only client waits for this, so no slow request can be in flight. */
const DEMO_SETTLE_SECONDS = 5;
const DEADLINE_MS = 120_000;

/** Runs a real rewrite from start to proof, for the demo's prunable definition. Throws Error if it ends any other way. */
async function rewriteToProof(target: { kubeconfig: string; context: string; crd: string }): Promise<void> {
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

main().catch((error: unknown) => {
  console.error(explain(error));
  process.exit(1);
});
