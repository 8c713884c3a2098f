import path from "node:path";
import type { Supervisor } from "./fork-supervisor.ts";
import { controllerManagerArguments } from "./program-arguments.ts";
import { isAnswering } from "./start-api-server.ts";
import { freePort, type Program, startProgram } from "./start-program.ts";

/**
 * Starts kube-controller-manager with the migrator of storage versions alone, and the garbage collector that this needs, and
 * returns once it answers. It gets to know a definition at its start, or up to half a minute after the definition was made.
 */
export async function startControllerManager(
  supervisor: Supervisor,
  options: { file: string; directory: string; kubeconfig: string; signal: AbortSignal; log: (line: string) => void },
): Promise<Program> {
  const { file, directory, kubeconfig, signal, log } = options;
  const port = await freePort();
  const caFile = path.join(directory, "certs", "kube-controller-manager.crt");
  return startProgram(supervisor, {
    name: "kube-controller-manager",
    file,
    args: controllerManagerArguments({ directory, kubeconfig, port }),
    isReady: () => isAnswering(`https://127.0.0.1:${port}/healthz`, caFile),
    ...{ directory, signal, log },
  });
}
