import type { StartRewrite } from "#lib/contract/rewrite/run.ts";
import { delegates } from "#lib/domain/rewrite/engines.ts";
import { crdshiftOnlyOptions } from "#lib/rewrite/delegation/check-delegation.ts";
import { seeHelp, usage } from "./parse-arguments.ts";

/** Throws AppError invalid_input, naming the command line options, if the cluster's own engine gets options that it does not support. */
export function checkEngineOptions(options: StartRewrite, program: string): void {
  if (!delegates(options.engine)) return;
  const others = crdshiftOnlyOptions.filter((name) => options[name]).map(optionName);
  if (others.length === 0) return;
  throw usage(
    `${others.join(", ")} can't be used with --engine ${options.engine}: the cluster's own engine does not support ${others.length === 1 ? "it" : "them"}.`,
    `Leave ${others.length === 1 ? "it" : "them"} out, or rewrite with crdshift's own engine. ${seeHelp("rewrite", program)}`,
  );
}

/** The option for a field of the HTTP API's body: `maxPerSecond` is `--max-per-second`. */
function optionName(field: string): string {
  return `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
