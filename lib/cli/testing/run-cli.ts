import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

/** A program that was started, and what it has printed so far. */
export interface CliProcess {
  stdout(): string;
  stderr(): string;
  /** Settles with the exit code once it is gone, and with null when a signal ended it. */
  exited: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts a program with nothing to read and no terminal, for this test; by default the command line, on this very Node. */
export function startCli(args: readonly string[], env: Record<string, string> = {}, file = process.execPath): CliProcess {
  const child = spawn(file, file === process.execPath ? [cliFile, ...args] : args, {
    env: { ...process.env, CRDSHIFT_SETTLE_SECONDS: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text) => {
      printed[name] += text;
    });
  }
  // When both streams have ended, too: all that it printed is there.
  const exited = new Promise<number | null>((resolve, reject) => child.once("close", resolve).once("error", reject));
  onTestFinished(() => void child.kill("SIGKILL"));
  return { stdout: () => printed.stdout, stderr: () => printed.stderr, exited, signal: (name) => void child.kill(name) };
}

/** startCli, waited for. */
export async function runCli(args: readonly string[], env?: Record<string, string>, file?: string): Promise<Ended> {
  const cli = startCli(args, env, file);
  const code = await cli.exited;
  return { code, stdout: cli.stdout(), stderr: cli.stderr() };
}

/** The command line on a terminal of 100 columns, where somebody types an answer once the question is there. Gives all that it shows. */
export async function runOnTerminal(
  args: readonly string[],
  { env, question, answer }: { env: Record<string, string>; question: RegExp; answer: string },
): Promise<{ code: number | null; shown: string }> {
  const command = ["stty cols 100;", process.execPath, cliFile, ...args].join(" ");
  // Of util-linux: it makes a terminal, and passes on what is typed, what is shown and the exit code.
  const child = spawn("script", ["-qefc", command, "/dev/null"], { env: { ...process.env, ...env } });
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

/** A folder with links to the command line by all its names, as npm makes them; until the end of the test. */
export async function linkCli(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "crdshift-bin-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  for (const name of ["crdshift", "kubectl-crdshift", "kubectl_complete-crdshift"]) await symlink(cliFile, path.join(directory, name));
  return directory;
}

/** The compiled command line, of the sources as they are. */
export const cliFile = path.resolve("dist/crdshift.mjs");

/** Compiles the command line, as `npm run build:cli` does. */
export async function buildCli(): Promise<void> {
  await promisify(execFile)(process.execPath, ["node_modules/.bin/rolldown", "--config", "rolldown.config.ts"]);
}
