import { parseArgs } from "node:util";
import { asParseArgsTakes } from "./arguments/as-parse-args-takes.ts";
import type { OutputFormat } from "./arguments/cluster-command-specs.ts";

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
