import { parseArgs } from "node:util";
import { asParseArgsTakes } from "./arguments/as-parse-args-takes.ts";
import type { OutputFormat } from "./arguments/cluster-command-specs.ts";

/** How an error is to be printed where the command line can't be used otherwise: as json if that can be made out. */
export function askedFormat(words: readonly string[]): OutputFormat {
  const { values } = parseArgs({
    args: asParseArgsTakes(words),
    options: { output: { type: "string", short: "o" } },
    strict: false,
    allowPositionals: true,
  });
  return values.output === "json" ? "json" : "table";
}
