import { createServer } from "node:net";
import type { Supervisor } from "./fork-supervisor.ts";
import { type ProgramStart, type RunningProgram, runUntilReady } from "./run-until-ready.ts";

/** A program of a local cluster that can be killed and restarted. etcd keeps its data. */
export interface Program {
  /** The process id of the last start. */
  pid(): number;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Restarts it with the same flags and port; resolves when it is ready. Throws if it is already running. */
  start(): Promise<void>;
}

const restartTimeoutMs = 60_000;

/** Starts a program as runUntilReady does; `signal` aborts this first start only. */
export async function startProgram(supervisor: Supervisor, options: ProgramStart): Promise<Program> {
  let program: RunningProgram = await runUntilReady(supervisor, options);
  return {
    pid: () => program.pid,
    kill: () => program.kill(),
    async start() {
      if (program.isRunning()) throw new Error(`${options.name} is running. Kill it first.`);
      program = await runUntilReady(supervisor, { ...options, signal: AbortSignal.timeout(restartTimeoutMs) });
    },
  };
}

/** A TCP port on 127.0.0.1 that was free a moment ago; another process may still take it first. */
export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen({ host: "127.0.0.1", port: 0 }, () => {
      const address = server.address();
      server.close(() => {
        if (address && typeof address === "object") resolve(address.port);
        else reject(new Error("The system has no free port on 127.0.0.1."));
      });
    });
  });
}
