import { fork } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { localClusterEnvironment } from "#lib/local-cluster/environment.ts";

export interface SupervisorOptions {
  directory: string;
  /** Nothing in the directory is worth keeping: it is removed at the end, and etcd is ended without grace. */
  temporary: boolean;
  /** What an earlier start left in the directory is removed, once the directory is ours. */
  empty: boolean;
}
export interface SupervisorCommand {
  name: string;
  file: string;
  args: string[];
}
export type SupervisorReport =
  | { type: "ready" }
  | { type: "locked"; holder: number }
  | { type: "started"; name: string; pid: number }
  | { type: "ended"; name: string; reason: string };

export interface Supervisor {
  /** Starts a program, whose output goes to `<name>.log` in the directory; `ended` settles when it has ended. */
  start(command: SupervisorCommand): Promise<{ pid: number; ended: Promise<string> }>;
  /** Ends all programs, and the supervisor. */
  stop(): Promise<void>;
  isStopping(): boolean;
}

/** Starts supervisor.ts, whose programs end with this process, whatever ends it. */
export async function forkSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const output = openSync(path.join(options.directory, "supervisor.log"), "a", 0o600);
  const child = fork(fileURLToPath(new URL("./supervisor.ts", import.meta.url)), [JSON.stringify(options)], {
    // A process group of its own: Ctrl-C in the terminal reaches the parent, which decides when to stop.
    detached: true,
    env: localClusterEnvironment().program,
    execArgv: [],
    stdio: ["ignore", output, output, "ipc"],
  });
  closeSync(output);

  let stopping = false;
  const pids = new Set<number>();
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  // Should the supervisor itself be killed, its programs are ended from here.
  void exited.then(() => pids.forEach(killIfAlive));

  const failed = new Promise<never>((_, reject) => {
    child.once("error", reject);
    void exited.then(() => reject(new Error(`The local cluster's supervisor ended; see ${options.directory}.`)));
  });
  // Whoever waits for a report gets to know; often nobody does.
  failed.catch(() => {});
  const nextReport = <T>(read: (report: SupervisorReport) => T | undefined) =>
    new Promise<T>((resolve, reject) => {
      child.on("message", function listen(report: SupervisorReport) {
        const value = read(report);
        if (value === undefined) return;
        child.off("message", listen);
        resolve(value);
      });
      failed.catch(reject);
    });

  const opened = await nextReport((report) => (report.type === "ready" || report.type === "locked" ? report : undefined));
  if (opened.type === "locked") {
    child.disconnect();
    throw new Error(inUse(options.directory, opened.holder));
  }

  return {
    async start(command) {
      const ended = nextReport((report) => (report.type === "ended" && report.name === command.name ? report.reason : undefined)).catch(
        () => "the supervisor ended",
      );
      const started = nextReport((report) =>
        report.type !== "ready" && report.type !== "locked" && report.name === command.name ? report : undefined,
      );
      child.send(command);
      const report = await started;
      if (report.type === "ended") throw new Error(`${command.file} could not be started: ${report.reason}`);
      pids.add(report.pid);
      void ended.then(() => pids.delete(report.pid));
      return { pid: report.pid, ended };
    },
    isStopping: () => stopping,
    async stop() {
      stopping = true;
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function inUse(directory: string, holder: number): string {
  return `The local cluster in ${directory} is already running (process ${holder}). Stop that one first, or use it with KUBECONFIG=${path.join(directory, "kubeconfig")}.`;
}
