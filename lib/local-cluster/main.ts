/**
 * `npm run local-cluster`: runs a local cluster until interrupted and prints its addresses as one line of JSON. With
 * `-- --controller-manager`, it includes the cluster's own migration engine.
 */
import { parseArgs } from "node:util";
import { startLocalCluster } from "./start-local-cluster.ts";

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => interrupted.abort(new Error(`interrupted by ${signal}`)));
}

try {
  const { values } = parseArgs({ options: { "controller-manager": { type: "boolean", default: false } } });
  const cluster = await startLocalCluster({
    controllerManager: values["controller-manager"],
    log: (line) => console.error(line),
    signal: interrupted.signal,
  });
  console.log(JSON.stringify({ kubeconfig: cluster.kubeconfig, etcd: cluster.etcd }));
  console.error("Running. Press Ctrl-C to stop.");
  if (!interrupted.signal.aborted) {
    await new Promise((resolve) => interrupted.signal.addEventListener("abort", resolve));
  }
  await cluster.stop();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
