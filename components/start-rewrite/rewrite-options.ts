import { parseWholeNumber } from "#components/ui/form.tsx";
import type { StartRewrite } from "#lib/contract/rewrite/run.ts";
import { unacceptedLosses } from "#lib/domain/losses/dry-run.ts";
import type { Loss } from "#lib/domain/losses/losses.ts";
import { delegates, type RunEngine } from "#lib/domain/rewrite/engines.ts";

/** The options in the dialog; the limit as typed. */
export interface RewriteOptions {
  /** Who patches the objects. */
  engine: RunEngine;
  acceptLosses: boolean;
  keepOwnership: boolean;
  throughStatus: boolean;
  maxPerSecond: string;
  verifyEveryObject: boolean;
}

/** The highest limit, in objects per second, that the API accepts. */
export const MOST_PER_SECOND = 100_000;

export const noOptions: RewriteOptions = {
  engine: "crdshift",
  acceptLosses: false,
  keepOwnership: false,
  throughStatus: false,
  maxPerSecond: "",
  verifyEveryObject: false,
};

/** The options that the chosen engine supports; the cluster's own engine has no limit, ownership or /status option. */
export function offeredOptions(options: RewriteOptions): RewriteOptions {
  return delegates(options.engine) ? { ...options, keepOwnership: false, throughStatus: false, maxPerSecond: "" } : options;
}

/** Why the rewrite can't start with these options; null if it can. `known` is false if a dry run couldn't determine the losses. */
export function withheldBecause(losses: Loss[], known: boolean, options: RewriteOptions): string | null {
  if (parseWholeNumber(options.maxPerSecond, MOST_PER_SECOND) === undefined) {
    return `Max objects per second: enter a whole number from 1 to ${MOST_PER_SECOND.toLocaleString("en-US")}, or leave it empty.`;
  }
  if (options.acceptLosses) return null;
  const unaccepted = unacceptedLosses({ losses }, options);
  if (unaccepted.length === 0) return known ? null : "What would be lost is unknown. Accept that first.";
  return options.engine === "crdshift" && unaccepted.every(({ kind }) => kind === "managed-fields")
    ? "Keep ownership, or accept that it is lost."
    : "Accept the losses first. Until then, nothing is rewritten.";
}

/** The request body: only the selected options; accepted losses name their dry run. */
export function startBody(options: RewriteOptions, dryRun: string | null): StartRewrite {
  const maxPerSecond = parseWholeNumber(options.maxPerSecond, MOST_PER_SECOND);
  return {
    ...(delegates(options.engine) && { engine: options.engine }),
    ...(typeof maxPerSecond === "number" && { maxPerSecond }),
    ...(options.acceptLosses && { acceptLosses: true, ...(dryRun !== null && { dryRun }) }),
    ...(options.keepOwnership && { keepOwnership: true }),
    ...(options.throughStatus && { throughStatus: true }),
    ...(options.verifyEveryObject && { verify: "every-object" as const }),
  };
}
