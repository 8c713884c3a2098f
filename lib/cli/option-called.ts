import type { OptionSpec } from "./command-spec.ts";
import { commandNames, commandSpecs, globalOptions } from "./command-specs.ts";

/** The option of any command that is written so, `--output` or `-o`; null where there is none. */
export function optionCalled(word: string): OptionSpec | null {
  const all = [...globalOptions, ...commandNames.flatMap((name) => commandSpecs[name].options)];
  return all.find(({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`)) ?? null;
}
