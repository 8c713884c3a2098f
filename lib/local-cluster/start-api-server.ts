import path from "node:path";
import type { Supervisor } from "./fork-supervisor.ts";
import { freePort } from "./free-port.ts";
import { isAnswering } from "./is-answering.ts";
import { apiServerArguments } from "./program-arguments.ts";
import { runUntilReady } from "./run-until-ready.ts";

/** The API server's process, which can go and come back. etcd keeps what it knows. */
export interface ApiServer {
  /** That of the last start. */
  pid(): number;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts it anew with the same flags and port; resolves when it is ready. Throws when it runs already. */
  start(): Promise<void>;
}

const restartTimeoutMs = 60_000;

/** Starts kube-apiserver on a free loopback port and returns once it is ready. `args` come after our flags. */
export async function startApiServer(
  supervisor: Supervisor,
  options: { file: string; directory: string; etcd: string; args: string[]; signal: AbortSignal; log: (line: string) => void },
): Promise<{ server: string; caFile: string; apiServer: ApiServer }> {
  const { file, directory, etcd, args, signal, log } = options;
  const port = await freePort();
  const server = `https://127.0.0.1:${port}`;
  const caFile = path.join(directory, "certs", "apiserver.crt");
  const run = (until: AbortSignal) =>
    runUntilReady(supervisor, {
      name: "kube-apiserver",
      file,
      args: [...apiServerArguments({ directory, etcd, port }), ...args],
      isReady: () => isAnswering(`${server}/readyz`, caFile),
      ...{ directory, signal: until, log },
    });
  let program = await run(signal);
  return {
    server,
    caFile,
    apiServer: {
      pid: () => program.pid,
      kill: () => program.kill(),
      async start() {
        if (program.isRunning()) throw new Error("kube-apiserver is running. Kill it first.");
        program = await run(AbortSignal.timeout(restartTimeoutMs));
      },
    },
  };
}
