import { fork } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { localClusterEnvironment } from "#lib/local-cluster/environment.ts";

export interface SupervisorOptions {
  directory: string;
  /** The directory is temporary: it is removed at the end, and etcd is killed. */
  temporary: boolean;
  /** Removes the files of an earlier start once the directory is locked. */
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
  /** Starts a program that logs to `<name>.log` in the directory; `ended` settles when it ends. */
  start(command: SupervisorCommand): Promise<{ pid: number; ended: Promise<string> }>;
  /** Ends all programs and the supervisor. */
  stop(): Promise<void>;
  isStopping(): boolean;
}

/** Starts supervisor.ts, whose programs always end with this process. */
export async function forkSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const output = openSync(path.join(options.directory, "supervisor.log"), "a", 0o600);
  const child = fork(fileURLToPath(new URL("./supervisor.ts", import.meta.url)), [JSON.stringify(options)], {
    // A separate process group: Ctrl-C in the terminal reaches only the parent, which decides when to stop.
    detached: true,
    // Collecting garbage less often, up to a soft limit, saves a good part of what tests compute.
    env: { ...localClusterEnvironment().program, ...(options.temporary && { GOGC: "400", GOMEMLIMIT: "1536MiB" }) },
    execArgv: [],
    stdio: ["ignore", output, output, "ipc"],
  });
  closeSync(output);

  let stopping = false;
  const pids = new Set<number>();
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  // If the supervisor is killed, end its programs from here.
  void exited.then(() => pids.forEach(killIfAlive));

  const failed = new Promise<never>((_, reject) => {
    child.once("error", reject);
    void exited.then(() => reject(new Error(`The local cluster's supervisor ended; see ${options.directory}.`)));
  });
  // Anyone waiting for a report gets the rejection; often no one is.
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
    // Already ended.
  }
}

function inUse(directory: string, holder: number): string {
  return `The local cluster in ${directory} is already running (process ${holder}). Stop it first, or use it with KUBECONFIG=${path.join(directory, "kubeconfig")}.`;
}
