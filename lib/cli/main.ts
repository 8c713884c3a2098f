import path from "node:path";
import { styleText } from "node:util";
import { isAppError } from "#lib/contract/app-error.ts";
import packageJson from "#package.json" with { type: "json" };
import { clusterCommands } from "./arguments/cluster-command-specs.ts";
import type { OptionSpec } from "./arguments/command-spec.ts";
import { type CommandName, commandSpecs, globalOptions, type HelpTopic } from "./arguments/command-specs.ts";
import { askedFormat, type ClusterInvocation, type Invocation, parseArguments, usageLine } from "./arguments/parse-arguments.ts";
import { type ExitCode, exitCodeOfError, exitCodeRows, exitCodes } from "./exit-codes.ts";
import { createOutput, type Output } from "./terminal/output.ts";
import { table } from "./terminal/printable.ts";
import { type StopKind, stopSignals } from "./terminal/stop-signals.ts";

/** Runs the command line on the process arguments and ends the process with the exit code. */
export async function main(): Promise<void> {
  const [, startedAs = "", ...words] = process.argv;
  // A closed terminal or pipe must not stop work in progress.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  process.exit(await run(words, programName(startedAs)));
}

async function run(words: string[], program: Program): Promise<ExitCode> {
  try {
    if (program.completes || words[0] === "__complete") {
      const { clusterCompletions, complete } = await import("./complete.ts");
      return await print(await complete(program.completes ? words : words.slice(1), clusterCompletions));
    }
    return await carryOut(parseArguments(words, program.name), program.name);
  } catch (error) {
    await outputAs(askedFormat(words)).error(error);
    return exitCodeOfError(error);
  }
}

async function carryOut(invocation: Invocation, program: string): Promise<ExitCode> {
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
      return onCluster(invocation, program);
    default:
      return invocation satisfies never;
  }
}

async function onCluster(invocation: ClusterInvocation, program: string): Promise<ExitCode> {
  const output = outputAs(invocation.output);
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

function outputAs(format: ClusterInvocation["output"]): Output {
  const paint = (text: string) => styleText("cyan", text, { stream: process.stderr });
  return createOutput({ format, stdout: process.stdout, stderr: process.stderr, paint });
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

/** Help in kubectl's format on a command, the exit codes, or everything (null); `program` starts each usage line. */
function help(topic: HelpTopic | null, program: string): string {
  if (topic === null) return overview(program);
  return topic === "exit-codes" ? exitCodesHelp() : commandHelp(topic, program);
}

function overview(program: string): string {
  const list = (names: readonly CommandName[]) => indented(table(names.map((name) => [name, commandSpecs[name].summary])));
  return sections(
    `crdshift ${packageJson.version} moves stored custom resources to their storage version, with proof, and prunes status.storedVersions.`,
    `Commands:\n${list(clusterCommands)}`,
    `Other Commands:\n${list(["completion", "help", "version"])}`,
    `Usage:\n  ${program} COMMAND [options]`,
    `Use "${program} COMMAND --help" for more information about a command.\nUse "${program} help exit-codes" for a list of exit codes.`,
  );
}

function commandHelp(command: CommandName, program: string): string {
  const { summary, description, examples, options } = commandSpecs[command];
  const example = ([comment, line]: readonly [string, string]) =>
    `  # ${comment}\n  ${program} ${line.replaceAll("crdshift ", `${program} `)}`;
  return sections(
    `${summary}.`,
    indented(wrapped(description, 1), 1),
    `Examples:\n${examples.map(example).join("\n\n")}`,
    options.length > 0 && `Options:\n${options.map(optionHelp).join("\n\n")}`,
    `Global Options:\n${globalOptions.map(optionHelp).join("\n\n")}`,
    `Usage:\n  ${usageLine(command, program)}`,
  );
}

function exitCodesHelp(): string {
  return sections("Exit codes are stable: none ever changes its meaning.", indented(table([["CODE", "MEANING"], ...exitCodeRows()])));
}

function optionHelp({ name, short, default: without = "false", description }: OptionSpec): string {
  return `    ${short ? `-${short}, ` : ""}--${name}=${without}:\n${indented(wrapped(description, 8), 8)}`;
}

function sections(...parts: (string | false)[]): string {
  return parts.filter(Boolean).join("\n\n");
}

function indented(text: string, spaces = 2): string {
  return text.replaceAll(/^(?=.)/gm, " ".repeat(spaces));
}

const WIDTH = 100;

/** Wraps text between words at 100 characters including the indent; keeps existing line breaks. */
function wrapped(text: string, indent: number): string {
  const width = WIDTH - indent;
  return text
    .split("\n")
    .map((line) => {
      const lines: string[] = [];
      for (const word of line.split(" ")) {
        const last = lines.at(-1);
        if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
        else lines.push(word);
      }
      return lines.join("\n");
    })
    .join("\n");
}
