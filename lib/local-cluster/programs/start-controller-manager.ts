import path from "node:path";
import type { Supervisor } from "./fork-supervisor.ts";
import { controllerManagerArguments } from "./program-arguments.ts";
import { isAnswering } from "./start-api-server.ts";
import { freePort, type Program, startProgram } from "./start-program.ts";

/**
 * Starts kube-controller-manager with only the storage version migrator and the garbage collector it needs, and returns once it
 * answers. It discovers a definition when it starts, or up to half a minute after the definition is created.
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
