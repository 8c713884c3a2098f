import type { StartRewrite } from "#lib/contract/rewrite/run.ts";
import { crdshiftOnlyOptions } from "#lib/rewrite/delegation/check-delegation.ts";
import { seeHelp, usage } from "./parse-arguments.ts";

/** Throws AppError invalid_input, with the options as they are written here, where the cluster's own engine is asked for what it does not have. */
export function checkEngineOptions(options: StartRewrite, program: string): void {
  if (options.engine !== "in-tree") return;
  const others = crdshiftOnlyOptions.filter((name) => options[name]).map(optionName);
  if (others.length === 0) return;
  throw usage(
    `${others.join(", ")} can't be given with --engine in-tree: the cluster's own engine has nothing like it.`,
    `Leave ${others.length === 1 ? "it" : "them"} out, or rewrite with crdshift's own engine. ${seeHelp("rewrite", program)}`,
  );
}

/** A field of the HTTP API's body as the option that it is here: `maxPerSecond` is `--max-per-second`. */
function optionName(field: string): string {
  return `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
