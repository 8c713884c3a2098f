import path from "node:path";
import util from "node:util";
import { isAppError } from "#lib/contract/app-error.ts";
import { shellQuoted } from "#lib/domain/wording/shell-quoted.ts";
import packageJson from "#package.json" with { type: "json" };
import { askedFormat, type ClusterInvocation, type Invocation, parseArguments } from "./arguments/parse-arguments.ts";
import type { CompletionSources } from "./complete.ts";
import { type ExitCode, exitCodeOfError, exitCodes } from "./exit-codes.ts";
import { help } from "./help.ts";
import { createOutput, type Output } from "./terminal/output.ts";
import { type StopKind, stopSignals } from "./terminal/stop-signals.ts";

/** Runs the same command line on another Node, and resolves to its exit code. */
export type HandOver = () => Promise<number>;

/**
 * Runs the command line on the process arguments and ends the process with the exit code. With `handOver`, this Node is too old for what
 * talks to a cluster: the rest is answered here, in half the time.
 */
export async function main(handOver: HandOver | null): Promise<void> {
  const [, startedAs = "", ...words] = process.argv;
  // A closed terminal or pipe, or a full disk, must not stop work in progress.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const output = { lost: null as Error | null };
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // Whoever closes the pipe, like head, has read what they wanted.
    if (error.code !== "EPIPE") output.lost ??= error;
  });
  const code = await run(words, programName(startedAs), handOver);
  process.exit(output.lost && code === exitCodes.done ? await tellLost(output.lost) : code);
}

function tellLost({ message }: Error): Promise<ExitCode> {
  const lost = `The command succeeded, but its output couldn't be written: ${message}. The status command shows where things stand.`;
  return new Promise((resolve) => void process.stderr.write(`${lost}\n`, () => resolve(exitCodes.failed)));
}

async function run(words: string[], program: Program, handOver: HandOver | null): Promise<number> {
  try {
    if (program.completes) return await completeWords(words, handOver);
    if (words[0] === "__complete") return await completeWords(words.slice(1), handOver);
    return await carryOut(parseArguments(words, program.name), program.name, handOver);
  } catch (error) {
    await outputAs(askedFormat(words)).error(error);
    return exitCodeOfError(error);
  }
}

async function completeWords(words: string[], handOver: HandOver | null): Promise<number> {
  const { complete } = await import("./complete.ts");
  if (!handOver) return print(await complete(words, clusterCompletions));
  let asksCluster = false;
  const ask = async () => {
    asksCluster = true;
    return [];
  };
  const completed = await complete(words, { contexts: ask, definitions: ask });
  return asksCluster ? handOver() : print(completed);
}

/** Loaded lazily: most words are completed without a cluster. */
const clusterCompletions: CompletionSources = {
  contexts: async (choice) => (await import("./cluster-completions.ts")).contextNames(choice),
  definitions: async (choice) => (await import("./cluster-completions.ts")).definitionNames(choice),
};

async function carryOut(invocation: Invocation, program: string, handOver: HandOver | null): Promise<number> {
  switch (invocation.command) {
    case "help":
      return print(help(invocation.topic, program));
    case "version":
      return print(`crdshift ${packageJson.version}`);
    case "completion": {
      const { completionScript } = await import("./complete.ts");
      return print(completionScript(invocation.shell));
    }
    case "status":
    case "check-edits":
    case "dry-run":
    case "rewrite":
    case "prune":
    case "undo-prune":
    case "repair":
      return handOver ? handOver() : runOnCluster(invocation, program);
    default:
      return invocation satisfies never;
  }
}

async function runOnCluster(invocation: ClusterInvocation, name: string): Promise<ExitCode> {
  const program = withChoice(name, invocation);
  const output = outputAs(invocation.output, withChoice("kubectl", invocation));
  const stoppedCode = (kind: StopKind) => (kind === "cancel" ? exitCodes.cancelled : exitCodes.terminated);
  const stop = stopSignals((kind) => {
    output.notice(`Stopped immediately.${afterAnEnd(invocation, program)}`);
    process.exit(stoppedCode(kind));
  });
  // Loaded lazily to keep help fast.
  const { runCommand } = await import("./run-command.ts");
  try {
    return await runCommand(invocation, { output, stop, program });
  } catch (error) {
    const kind = stop.kind();
    if (kind !== null && !isAppError(error)) output.notice("Stopped.");
    else await output.error(error);
    return kind === null ? exitCodeOfError(error) : stoppedCode(kind);
  }
}

/** A program with the cluster that was chosen: a suggested command without that might run on another one. */
export function withChoice(program: string, { kubeconfig, context }: Pick<ClusterInvocation, "kubeconfig" | "context">): string {
  const chosen = { kubeconfig: kubeconfig && path.resolve(kubeconfig), context };
  const options = Object.entries(chosen).flatMap(([name, value]) => (value === null ? [] : [`--${name}=${shellQuoted(value)}`]));
  return [program, ...options].join(" ");
}

function afterAnEnd({ command, definition }: ClusterInvocation, program: string): string {
  switch (command) {
    case "rewrite":
      return " A running rewrite shows as interrupted within 45 seconds. Continue it with --resume.";
    case "prune":
    case "undo-prune":
    case "repair":
      return ` The ${command} may have gone through. Check with: ${program} status ${definition}`;
    case "status":
    case "check-edits":
    case "dry-run":
      return "";
    default:
      return command satisfies never;
  }
}

function outputAs(format: ClusterInvocation["output"], kubectl = "kubectl"): Output {
  // Not imported by name: the oldest Node.js that hands over lacks it.
  const paint = (text: string) => util.styleText("cyan", text, { stream: process.stderr });
  return createOutput({ format, stdout: process.stdout, stderr: process.stderr, paint, kubectl });
}

async function print(text: string): Promise<ExitCode> {
  await new Promise<void>((resolve) => void process.stdout.write(`${text}\n`, () => resolve()));
  return exitCodes.done;
}

/** The name the program was started under, and what it implies. */
interface Program {
  /** The name in help: `crdshift`, or `kubectl crdshift` as a plugin. */
  name: "crdshift" | "kubectl crdshift";
  /** Whether kubectl is asking its plugin for completions: https://github.com/kubernetes/kubernetes/pull/105867 */
  completes: boolean;
}

/** Derives the program from the path it was started by, which may be a link. */
export function programName(startedAs: string): Program {
  const name = path.basename(startedAs).replace(/\.(mjs|cmd|exe)$/, "");
  if (name === "kubectl_complete-crdshift") return { name: "kubectl crdshift", completes: true };
  return { name: name === "kubectl-crdshift" ? "kubectl crdshift" : "crdshift", completes: false };
}
