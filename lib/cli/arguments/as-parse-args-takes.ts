import type { OptionSpec } from "./command-spec.ts";
import { commandNames, commandSpecs, globalOptions } from "./command-specs.ts";

/**
 * Rewrites kubectl's option forms for parseArgs of node:util: `-o=json` becomes `--output=json`, `--resume=true` becomes `--resume`,
 * and `--resume=false` becomes `--no-resume` (allowNegative). Words after `--` stay as they are.
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

/** The option of any command with this spelling (`--output` or `-o`); null if there is none. */
export function optionCalled(word: string): OptionSpec | null {
  const all = [...globalOptions, ...commandNames.flatMap((name) => commandSpecs[name].options)];
  return all.find(({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`)) ?? null;
}
