import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

/** A started program and its output so far. */
export interface CliProcess {
  stdout(): string;
  stderr(): string;
  /** Resolves to the exit code once it ends, or to null if a signal ended it. */
  exited: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts a program without input or a terminal until the test ends; by default the command line on the current Node. */
export function startCli(args: readonly string[], env: Record<string, string> = {}, file = process.execPath): CliProcess {
  const child = spawn(file, file === process.execPath ? [cliFile, ...args] : args, {
    env: { ...process.env, CRDSHIFT_SETTLE_SECONDS: "0", XDG_STATE_HOME: stateHome, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text) => {
      printed[name] += text;
    });
  }
  // "close" fires after both streams end, so the output is complete.
  const exited = new Promise<number | null>((resolve, reject) => child.once("close", resolve).once("error", reject));
  onTestFinished(() => void child.kill("SIGKILL"));
  return { stdout: () => printed.stdout, stderr: () => printed.stderr, exited, signal: (name) => void child.kill(name) };
}

/** Runs startCli to its end. */
export async function runCli(args: readonly string[], env?: Record<string, string>, file?: string): Promise<Ended> {
  const cli = startCli(args, env, file);
  const code = await cli.exited;
  return { code, stdout: cli.stdout(), stderr: cli.stderr() };
}

/** Runs the command line on a terminal of 100 columns and types an answer once the question appears. Returns everything shown. */
export async function runOnTerminal(
  args: readonly string[],
  { env, question, answer }: { env: Record<string, string>; question: RegExp; answer: string },
): Promise<{ code: number | null; shown: string }> {
  const command = ["stty cols 100;", process.execPath, cliFile, ...args].join(" ");
  // script from util-linux creates a terminal and forwards input, output and the exit code.
  const child = spawn("script", ["-qefc", command, "/dev/null"], { env: { ...process.env, XDG_STATE_HOME: stateHome, ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  let shown = "";
  let isAnswered = false;
  child.stdout.setEncoding("utf8").on("data", (text) => {
    shown += text;
    if (isAnswered || !question.test(shown)) return;
    isAnswered = true;
    child.stdin.write(answer);
  });
  const code = await new Promise<number | null>((resolve, reject) => child.once("close", resolve).once("error", reject));
  return { code, shown };
}

/** A folder with links to the command line under all its names, as npm creates them; deleted after the test. */
export async function linkCli(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "crdshift-bin-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  for (const name of ["crdshift", "kubectl-crdshift", "kubectl_complete-crdshift"]) await symlink(cliFile, path.join(directory, name));
  return directory;
}

// Of this process alone: a build empties its folder first, and test files run side by side.
const cliRoot = path.join(tmpdir(), `crdshift-cli-${randomUUID()}`);

/** As of one user, whose commands recognize each other's evidence. */
const stateHome = path.join(cliRoot, "state");

/** The compiled command line. */
export const cliFile = path.join(cliRoot, "dist/crdshift.mjs");

/** Compiles the current sources of the command line, as `npm run build:cli` does. Gives what removes it again, as beforeAll takes it. */
export async function buildCli(): Promise<() => Promise<void>> {
  const args = ["node_modules/.bin/rolldown", "--config", "rolldown.config.ts", "--dir", path.dirname(cliFile)];
  await promisify(execFile)(process.execPath, args);
  // It looks for a newer Node.js beside its folder.
  await symlink(path.resolve("node_modules"), path.join(cliRoot, "node_modules"));
  return () => rm(cliRoot, { recursive: true });
}

/** The lines on a process' standard error; each must be JSON. */
export function linesOf(stderr: string): { event?: string; data?: unknown; action?: string }[] {
  return stderr
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
