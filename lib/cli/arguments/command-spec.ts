/** What an option is, for parsing, help and completion alike. */
export interface OptionSpec {
  name: string;
  short?: string;
  type: "boolean" | "string";
  /** As help shows it, or in capitals what it takes where there is none; a boolean is false without it. */
  default?: string;
  description: string;
  /** What completes its value. */
  values?: readonly string[] | "contexts" | "files" | "definition";
}

export interface CommandSpec {
  summary: string;
  description: string;
  /** What follows the command's name in its usage line, without [options]. */
  usage: string;
  /** Each a comment, and what follows the program's name. */
  examples: readonly (readonly [comment: string, line: string])[];
  options: readonly OptionSpec[];
  /** What completes its arguments; the last goes on. */
  positionals: readonly ("definition" | "versions" | readonly string[])[];
  /** The fewest and the most arguments. */
  arity: readonly [number, number];
}
