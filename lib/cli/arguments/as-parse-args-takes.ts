import type { OptionSpec } from "./command-spec.ts";
import { commandNames, commandSpecs, globalOptions } from "./command-specs.ts";

/**
 * The words of the command line as parseArgs of node:util takes them, where kubectl takes more: `-o=json` becomes
 * `--output=json`, `--resume=true` becomes `--resume`, and `--resume=false` its allowNegative's `--no-resume`. What follows `--` is left alone.
 */
export function asParseArgsTakes(words: readonly string[]): string[] {
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

/** The option of any command that is written so, `--output` or `-o`; null where there is none. */
export function optionCalled(word: string): OptionSpec | null {
  const all = [...globalOptions, ...commandNames.flatMap((name) => commandSpecs[name].options)];
  return all.find(({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`)) ?? null;
}
