import { parseArgs } from "node:util";
import { AppError, errorMessage } from "#lib/contract/app-error.ts";
import { withoutPeriod } from "#lib/domain/wording/without-period.ts";
import { type ClusterCommand, type OutputFormat, outputFormats } from "./cluster-command-specs.ts";
import type { OptionSpec } from "./command-spec.ts";
import {
  type CommandName,
  commandNames,
  commandSpecs,
  globalOptions,
  type HelpTopic,
  helpTopics,
  type Shell,
  shells,
} from "./command-specs.ts";

/** A command for a cluster, with its arguments. */
export interface ClusterInvocation {
  command: ClusterCommand;
  /** The definition as typed; empty if none was given. */
  definition: string;
  /** Arguments after the definition. */
  rest: string[];
  output: OutputFormat;
  kubeconfig: string | null;
  context: string | null;
  /** The command's own options by name, as typed. */
  options: Readonly<Record<string, string | boolean>>;
}

export type Invocation =
  | { command: "help"; topic: HelpTopic | null }
  | { command: "version" }
  | { command: "completion"; shell: Shell }
  | ClusterInvocation;

/**
 * Parses the command line. Options may come before the command, as with kubectl.
 * @throws AppError invalid_input that says what to write instead, using `program` as the program's name.
 */
export function parseArguments(words: readonly string[], program: string): Invocation {
  const { values, positionals } = parse(words, program);
  const [name, ...rest] = positionals;
  if (name === undefined) {
    if (values.version === true) return { command: "version" };
    return { command: "help", topic: null };
  }
  const command = oneOf(commandNames, name);
  if (!command) throw usage(`Unknown command "${name}".`, `See "${program} --help".`);
  if (values.help === true) return { command: "help", topic: command };
  refuseOthersOptions(command, values, program);
  // Usually an unset variable: don't guess its meaning.
  if (rest.includes("")) throw usage(`An argument of ${command} is empty.`, `Usage: ${usageLine(command, program)}`);
  const [least, most] = commandSpecs[command].arity;
  if (rest.length < least || rest.length > most) {
    const problem = rest.length < least ? "is missing an argument" : `takes no argument "${rest[most]}"`;
    throw usage(`${command} ${problem}: ${usageLine(command, program)}`, seeHelp(command, program));
  }
  return invocation(command, rest, values, program);
}

/** As help shows it. */
export function usageLine(command: CommandName, program: string): string {
  const { usage, options } = commandSpecs[command];
  return [program, command, usage, options.length > 0 ? "[options]" : ""].filter(Boolean).join(" ");
}

/** An error about the command line, with the next step. */
export function usage(message: string, nextStep: string): AppError {
  return new AppError("invalid_input", message, { nextStep });
}

export function seeHelp(command: CommandName, program: string): string {
  return `See "${program} ${command} --help".`;
}

type Values = Readonly<Record<string, string | boolean | undefined>>;

// An option's name and type are the same in every command, which allows parsing before the command is known.
function parse(words: readonly string[], program: string): { values: Values; positionals: string[] } {
  const all: OptionSpec[] = [...globalOptions, ...commandNames.flatMap((name) => commandSpecs[name].options)];
  const options = Object.fromEntries(all.map(({ name, type, short }) => [name, { type, ...(short && { short }) }]));
  try {
    const { values, positionals } = parseArgs({
      args: asParseArgsTakes(words),
      options: { ...options, version: { type: "boolean" } },
      allowPositionals: true,
      allowNegative: true,
    });
    return { values, positionals };
  } catch (error) {
    const [sentence = ""] = errorMessage(error).split(/\. |\n/);
    throw usage(`${withoutPeriod(sentence)}.`, `See "${program} --help".`);
  }
}

function refuseOthersOptions(command: CommandName, values: Values, program: string): void {
  const own = [...commandSpecs[command].options, ...globalOptions].map(({ name }) => name);
  const other = Object.keys(values).find((name) => !own.includes(name));
  if (other !== undefined) throw usage(`${command} has no option --${other}.`, seeHelp(command, program));
}

function invocation(command: CommandName, rest: string[], values: Values, program: string): Invocation {
  const [first, ...more] = rest;
  switch (command) {
    case "version":
      return { command };
    case "completion": {
      const shell = oneOf(shells, first);
      if (!shell) throw usage(`There is no completion for "${first}".`, `Use one of ${shells.join(", ")}.`);
      return { command, shell };
    }
    case "help": {
      const topic = oneOf(helpTopics, first);
      if (first !== undefined && !topic) throw usage(`There is no help for "${first}".`, `See "${program} --help".`);
      return { command, topic };
    }
    case "status":
    case "check-edits":
    case "dry-run":
    case "rewrite":
    case "prune":
    case "undo-prune":
    case "repair":
      return clusterInvocation(command, first ?? "", more, values);
    default:
      return command satisfies never;
  }
}

function clusterInvocation(
  command: ClusterInvocation["command"],
  definition: string,
  rest: string[],
  { output: written, kubeconfig, context, ...others }: Values,
): ClusterInvocation {
  const output = oneOf(outputFormats, written ?? "table");
  if (!output) throw usage(`-o ${written} is not a valid format.`, `Use one of ${outputFormats.join(", ")}.`);
  const options = Object.fromEntries(Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  return { command, definition, rest, output, kubeconfig: textOf(kubeconfig), context: textOf(context), options };
}

// As with kubectl, an empty value counts as none.
function textOf(value: string | boolean | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function oneOf<Name extends string>(names: readonly Name[], name: unknown): Name | null {
  return names.find((one) => one === name) ?? null;
}

/** The output format for errors in a command line that doesn't parse: json if it asks for that recognizably. */
export function askedFormat(words: readonly string[]): OutputFormat {
  const { values } = parseArgs({
    args: asParseArgsTakes(words),
    options: { output: { type: "string", short: "o" } },
    strict: false,
    allowPositionals: true,
  });
  return values.output === "json" ? "json" : "table";
}

/**
 * Rewrites kubectl's option forms for parseArgs of node:util: `-o=json` becomes `--output=json`, `--resume=true` becomes `--resume`,
 * and `--resume=false` becomes `--no-resume` (allowNegative). Words after `--` stay as they are.
 */
function asParseArgsTakes(words: readonly string[]): string[] {
  const end = words.indexOf("--");
  return words.map((word, index) => (end !== -1 && index > end ? word : asTaken(word)));
}

function asTaken(word: string): string {
  const [, written = "", value = ""] = /^(--?[^=]+)=(.*)$/s.exec(word) ?? [];
  const option = optionCalled(written);
  if (!option) return word;
  if (option.type === "string") return `--${option.name}=${value}`;
  if (value === "true") return `--${option.name}`;
  return value === "false" ? `--no-${option.name}` : word;
}

/** The option of any command with this spelling (`--output` or `-o`); null if there is none. */
export function optionCalled(word: string): OptionSpec | null {
  const all = [...globalOptions, ...commandNames.flatMap((name) => commandSpecs[name].options)];
  return all.find(({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`)) ?? null;
}
