/** An option, as parsing, help, and completion use it. */
export interface OptionSpec {
  name: string;
  short?: string;
  type: "boolean" | "string";
  /** The default as help shows it, or a placeholder in capitals if there is none; booleans default to false. */
  default?: string;
  description: string;
  /** The source of completions for its value. */
  values?: readonly string[] | "contexts" | "files" | "definition";
}

export interface CommandSpec {
  summary: string;
  description: string;
  /** The arguments in the usage line, without [options]. */
  usage: string;
  /** Each a comment and a command line without the program's name. */
  examples: readonly (readonly [comment: string, line: string])[];
  options: readonly OptionSpec[];
  /** The source of completions for each argument; the last entry repeats. */
  positionals: readonly ("definition" | "versions" | readonly string[])[];
  /** The minimum and maximum number of arguments. */
  arity: readonly [number, number];
}
