import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Supervisor, SupervisorCommand } from "./fork-supervisor.ts";

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

const pollMs = 50;
const logLinesShown = 15;

export interface ProgramStart extends SupervisorCommand {
  directory: string;
  isReady: () => Promise<boolean>;
  signal: AbortSignal;
  log: (line: string) => void;
}
export interface RunningProgram {
  pid: number;
  isRunning(): boolean;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
}

/**
 * Starts a program, waits until `isReady`, and returns it. If it ends before that, throws an error with its last log lines. If it
 * ends later, other than by `kill`, logs that.
 */
export async function runUntilReady(supervisor: Supervisor, options: ProgramStart): Promise<RunningProgram> {
  const { name, file, args, directory, isReady, signal, log } = options;
  const logFile = path.join(directory, `${name}.log`);
  const { pid, ended } = await supervisor.start({ name, file, args });
  let reason: string | undefined;
  let killed = false;
  void ended.then((text) => {
    reason = text;
  });
  while (!(await isReady())) {
    if (reason) throw new Error(`${name} ended while starting (${reason}). Its last log lines:\n${await tail(logFile)}`);
    if (signal.aborted) throw new Error(`${name} did not become ready: ${signal.reason}\n${await tail(logFile)}`);
    await sleep(pollMs);
  }
  void ended.then((text) => {
    if (!killed && !supervisor.isStopping()) log(`${name} ended unexpectedly (${text}); its log is ${logFile}`);
  });
  return {
    pid,
    isRunning: () => reason === undefined,
    async kill() {
      killed = true;
      if (reason === undefined) process.kill(pid, "SIGKILL");
      await ended;
    },
  };
}

async function tail(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-logLinesShown).join("\n");
}
