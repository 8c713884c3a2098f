import { parseWholeNumber } from "#components/ui/whole-number.ts";
import type { StartRewrite } from "#lib/contract/rewrite/run.ts";
import { unacceptedLosses } from "#lib/domain/losses/dry-run.ts";
import type { Loss } from "#lib/domain/losses/losses.ts";

/** What is chosen in the dialog; the limit as it is typed. */
export interface RewriteOptions {
  /** Who patches the objects. */
  engine: "crdshift" | "in-tree";
  acceptLosses: boolean;
  keepOwnership: boolean;
  throughStatus: boolean;
  maxPerSecond: string;
  verifyEveryObject: boolean;
}

/** As many objects a second as the API accepts for a limit. */
export const MOST_PER_SECOND = 100_000;

export const noOptions: RewriteOptions = {
  engine: "crdshift",
  acceptLosses: false,
  keepOwnership: false,
  throughStatus: false,
  maxPerSecond: "",
  verifyEveryObject: false,
};

/** What of the options the chosen engine has: the cluster's own has no limit, and can't be told what to patch, or how. */
export function offeredOptions(options: RewriteOptions): RewriteOptions {
  return options.engine === "in-tree" ? { ...options, keepOwnership: false, throughStatus: false, maxPerSecond: "" } : options;
}

/** Why the rewrite can't start with these options, in a sentence; null when it can. `known`: no dry run failed to tell the losses. */
export function withheldBecause(losses: Loss[], known: boolean, options: RewriteOptions): string | null {
  if (parseWholeNumber(options.maxPerSecond, MOST_PER_SECOND) === undefined) {
    return `Objects a second: a whole number from 1 to ${MOST_PER_SECOND.toLocaleString("en-US")}, or nothing for no limit.`;
  }
  if (options.acceptLosses) return null;
  const unaccepted = unacceptedLosses({ losses }, options);
  if (unaccepted.length === 0) return known ? null : "What would be lost is not known; accept that first.";
  return options.engine === "crdshift" && unaccepted.every(({ kind }) => kind === "managed-fields")
    ? "Keep ownership, or accept that it is lost."
    : "Accept the losses first; without that nothing is rewritten.";
}

/** What is sent: only what was chosen; an acceptance names the dry run that it is of. */
export function startBody(options: RewriteOptions, dryRun: string | null): StartRewrite {
  const maxPerSecond = parseWholeNumber(options.maxPerSecond, MOST_PER_SECOND);
  return {
    ...(options.engine === "in-tree" && { engine: options.engine }),
    ...(typeof maxPerSecond === "number" && { maxPerSecond }),
    ...(options.acceptLosses && { acceptLosses: true, ...(dryRun !== null && { dryRun }) }),
    ...(options.keepOwnership && { keepOwnership: true }),
    ...(options.throughStatus && { throughStatus: true }),
    ...(options.verifyEveryObject && { verify: "every-object" as const }),
  };
}
