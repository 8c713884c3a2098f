/**
 * A separate process that runs the programs of a local cluster for its parent. However the parent ends, the IPC channel closes and
 * the supervisor ends everything; no signal handler in the parent could guarantee that.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { lockDirectory } from "#lib/local-cluster/binaries/lock-directory.ts";
import type { SupervisorCommand, SupervisorOptions, SupervisorReport } from "./fork-supervisor.ts";

const endGraceMs = 5_000;

// The parent is fork-supervisor.ts of the same checkout, which writes exactly this.
const options = JSON.parse(process.argv[2] ?? "{}") as SupervisorOptions;
const running = new Map<string, ChildProcess>();
let holdsLock = false;
let ending = false;

const report = (message: SupervisorReport) => {
  // Sending fails if the parent has just ended; "disconnect" handles that.
  if (process.connected) process.send?.(message, () => {});
};

process.on("message", (command: SupervisorCommand) => startProgram(command));
process.on("disconnect", end);
process.on("SIGTERM", end);
process.on("SIGINT", end);

const holder = options.temporary ? undefined : await lockDirectory(options.directory);
holdsLock = !options.temporary && holder === undefined;
if (options.empty && holdsLock) emptyDirectory();
report(holder === undefined ? { type: "ready" } : { type: "locked", holder });
if (!process.connected) end();

function emptyDirectory(): void {
  for (const entry of readdirSync(options.directory)) {
    if (entry !== "lock" && entry !== "supervisor.log") rmSync(path.join(options.directory, entry), { recursive: true });
  }
}

function startProgram({ name, file, args }: SupervisorCommand): void {
  if (ending) return;
  const log = openSync(path.join(options.directory, `${name}.log`), "w", 0o600);
  const child = spawn(file, args, { cwd: options.directory, stdio: ["ignore", log, log] });
  closeSync(log);
  running.set(name, child);
  child.on("spawn", () => report({ type: "started", name, pid: child.pid ?? 0 }));
  child.on("error", (error) => ended(name, error.message));
  child.on("exit", (code, signal) => ended(name, signal ? `ended by ${signal}` : `exit code ${code}`));
}

function ended(name: string, reason: string): void {
  if (!running.delete(name)) return;
  report({ type: "ended", name, reason });
  if (ending && running.size === 0) finish();
}

function end(): void {
  if (ending) return;
  ending = true;
  if (running.size === 0) finish();
  for (const [name, child] of running) {
    // The API server has nothing to save and would wait for its watchers; a persistent etcd closes its database.
    child.kill(name === "etcd" && !options.temporary ? "SIGTERM" : "SIGKILL");
    setTimeout(() => child.kill("SIGKILL"), endGraceMs).unref();
  }
}

function finish(): never {
  if (options.temporary) rmSync(options.directory, { recursive: true, force: true });
  else if (holdsLock) rmSync(path.join(options.directory, "lock"), { force: true });
  process.exit(0);
}
