import packageJson from "#package.json" with { type: "json" };
import { clusterCommands } from "./arguments/cluster-command-specs.ts";
import type { OptionSpec } from "./arguments/command-spec.ts";
import { type CommandName, commandSpecs, globalOptions, type HelpTopic } from "./arguments/command-specs.ts";
import { usageLine } from "./arguments/parse-arguments.ts";
import { exitCodeRows } from "./exit-codes.ts";
import { table } from "./terminal/table.ts";

/** Help in kubectl's format on a command, the exit codes, or everything (null); `program` starts each usage line. */
export function help(topic: HelpTopic | null, program: string): string {
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
