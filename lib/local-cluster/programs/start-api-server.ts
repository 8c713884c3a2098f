import { readFile } from "node:fs/promises";
import https from "node:https";
import path from "node:path";
import type { Supervisor } from "./fork-supervisor.ts";
import { apiServerArguments } from "./program-arguments.ts";
import { freePort, type Program, startProgram } from "./start-program.ts";

/**
 * Starts kube-apiserver on a free loopback port and returns once it is ready. `args` come after our flags. With `hostname` it thinks that
 * it runs on a machine of that name, which takes root: its identity Lease is named after the machine.
 */
export async function startApiServer(
  supervisor: Supervisor,
  options: {
    file: string;
    directory: string;
    etcd: string;
    args: string[];
    hostname?: string | undefined;
    signal: AbortSignal;
    log: (line: string) => void;
  },
): Promise<{ server: string; caFile: string; apiServer: Program }> {
  const { file, directory, etcd, args, hostname, signal, log } = options;
  const port = await freePort();
  const server = `https://127.0.0.1:${port}`;
  const caFile = path.join(directory, "certs", "apiserver.crt");
  const [program = file, ...flags] = [
    ...(hostname ? ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', hostname] : []),
    ...[file, ...apiServerArguments({ directory, etcd, port }), ...args],
  ];
  const apiServer = await startProgram(supervisor, {
    name: "kube-apiserver",
    file: program,
    args: flags,
    isReady: () => isAnswering(`${server}/readyz`, caFile),
    ...{ directory, signal, log },
  });
  return { server, caFile, apiServer };
}

const timeoutMs = 2_000;

/** Whether a GET of the https URL answers 200, with a certificate that `caFile` (which may not exist yet) verifies. */
export async function isAnswering(url: string, caFile: string): Promise<boolean> {
  const ca = await readFile(caFile).catch(() => undefined);
  if (!ca) return false;
  return new Promise((resolve) => {
    const request = https.get(url, { ca, agent: false, timeout: timeoutMs }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
  });
}
