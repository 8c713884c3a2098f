import { parseArgs } from "node:util";
import { connect } from "#lib/cluster/connection.ts";
import { readServerVersion } from "#lib/cluster/discovery.ts";
import { readEtcdCredentials } from "#lib/cluster/etcd/etcd-credentials.ts";
import { silenceFleets } from "#lib/cluster/fleet.ts";
import { kubeconfigFiles, readKubeContexts } from "#lib/cluster/kubeconfig.ts";
import { errorMessage, isAppError } from "#lib/contract/app-error.ts";
import { chooseKubeconfig, type Env, readEnv } from "#lib/env.ts";
import type { Demo } from "#lib/local-cluster/start-demo.ts";
import { shutDownRuns } from "#lib/rewrite/running.ts";
import { kubectlHint } from "./kubectl-hint.ts";
import { rewriteToProof } from "./rewrite-to-proof.ts";
import { type Server, startServer } from "./start-server.ts";

const startedAt = performance.now();
const stopping = new AbortController();

async function main(): Promise<void> {
  const values = readOptions();
  const env = readEnv();
  // Read again for every count; a file that is missing now is better told now.
  readEtcdCredentials(env);
  const demo = values.demo || values.reset || !hasCluster(env) ? await openDemo(values.reset) : null;
  let server: Server | null = null;
  onSignal(async () => {
    server?.stopAccepting();
    silenceFleets();
    await shutDownRuns();
    await server?.close();
    await demo?.stop();
  });
  const { current } = readKubeContexts();
  server = await startServer({ host: env.HOST, port: env.PORT, dev: values.dev });
  console.log(`crdshift is ready at ${server.url} after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  if (demo) console.log(`The demo's cluster: ${kubectlHint(demo)}`);
  await warnWhenUnreachable(current);
}

function readOptions() {
  const flag = { type: "boolean", default: false } as const;
  try {
    return parseArgs({ options: { demo: flag, reset: flag, dev: flag } }).values;
  } catch (error) {
    throw new Error(
      `${errorMessage(error)}.\nThe options are --demo (a local cluster with content) and --reset (the same, made anew): npm start -- --demo`,
    );
  }
}

function hasCluster(env: Env): boolean {
  return kubeconfigFiles(env).length > 0 || env.KUBERNETES_SERVICE_HOST !== "";
}

async function openDemo(reset: boolean): Promise<Demo> {
  // Only who wants a demo pays for it.
  const { startDemo } = await import("#lib/local-cluster/start-demo.ts");
  const demo = await startDemo({ reset, log: (line) => console.log(line), signal: stopping.signal, rewriteToProof });
  chooseKubeconfig(demo.kubeconfig);
  return demo;
}

// The dashboard is useful while the cluster is away: it says so on every page and recovers by itself.
async function warnWhenUnreachable(context: string): Promise<void> {
  try {
    await readServerVersion(await connect(context), stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted) console.error(`Warning: ${explain(error)}`);
  }
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
}

function explain(error: unknown): string {
  return isAppError(error) ? [error.message, error.clusterMessage, error.nextStep].filter(Boolean).join("\n") : errorMessage(error);
}

main().catch((error: unknown) => {
  console.error(explain(error));
  process.exit(1);
});
