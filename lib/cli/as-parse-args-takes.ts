import { optionCalled } from "./option-called.ts";

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
