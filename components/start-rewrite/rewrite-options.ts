import { parseWholeNumber } from "#components/ui/form.tsx";
import type { StartRewrite } from "#lib/contract/rewrite/run.ts";
import { unacceptedLosses } from "#lib/domain/losses/losses.ts";
import { delegates, type RunEngine } from "#lib/domain/rewrite/engines.ts";
import type { Pace } from "#lib/domain/rewrite/pace.ts";
import type { ShownLosses } from "./shown-losses.ts";

/** The options in the dialog; the limit as typed. */
export interface RewriteOptions {
  /** Who patches the objects. */
  engine: RunEngine;
  /** The listed losses. */
  acceptLosses: boolean;
  /** Any others, unseen. */
  acceptUnseen: boolean;
  keepOwnership: boolean;
  throughStatus: boolean;
  pace: Pace;
  maxPerSecond: string;
  verifyEveryObject: boolean;
}

/** The highest limit, in objects per second, that the API accepts. */
export const MOST_PER_SECOND = 100_000;

export const noOptions: RewriteOptions = {
  engine: "crdshift",
  acceptLosses: false,
  acceptUnseen: false,
  keepOwnership: false,
  throughStatus: false,
  pace: "normal",
  maxPerSecond: "",
  verifyEveryObject: false,
};

/** The options that the chosen engine supports; the cluster's own engine has no pace, limit, ownership or /status option. */
export function offeredOptions(options: RewriteOptions): RewriteOptions {
  return delegates(options.engine) ? { ...options, keepOwnership: false, throughStatus: false, pace: "normal", maxPerSecond: "" } : options;
}

/** Why the rewrite can't start with these options; null if it can. */
export function withheldBecause(shown: ShownLosses, options: RewriteOptions): string | null {
  if (parseWholeNumber(options.maxPerSecond, MOST_PER_SECOND) === undefined) {
    return `Max objects per second: enter a whole number from 1 to ${MOST_PER_SECOND.toLocaleString("en-US")}, or leave it empty.`;
  }
  const unaccepted = unacceptedLosses(shown, options);
  if (unaccepted.length > 0 && !options.acceptLosses) {
    return options.engine === "crdshift" && unaccepted.every(({ kind }) => kind === "managed-fields")
      ? "Keep ownership, or accept that it is lost."
      : "Accept the losses first. Until then, nothing is rewritten.";
  }
  if (options.acceptUnseen || !mustAcceptUnseen(shown, options)) return null;
  return `What ${unaccepted.length > 0 ? "else " : ""}would be lost is unknown. Accept that first.`;
}

/**
 * Whether a start would be refused without accepting losses unseen. Once listed losses are accepted, crdshift's own engine can check each
 * object before it writes it, unless it says otherwise.
 */
export function mustAcceptUnseen(shown: ShownLosses, options: RewriteOptions): boolean {
  if (shown.others === "held-back") return true;
  return shown.others === "unknown" && (delegates(options.engine) || unacceptedLosses(shown, options).length === 0);
}

/** The request body: only the selected options; what was accepted names its dry run. */
export function startBody(options: RewriteOptions, dryRun: string | null): StartRewrite {
  const maxPerSecond = parseWholeNumber(options.maxPerSecond, MOST_PER_SECOND);
  return {
    ...(delegates(options.engine) && { engine: options.engine }),
    ...(options.pace !== "normal" && { pace: options.pace }),
    ...(typeof maxPerSecond === "number" && { maxPerSecond }),
    ...(options.acceptLosses && { acceptLosses: true }),
    ...(options.acceptUnseen && { acceptUnseen: true }),
    ...((options.acceptLosses || options.acceptUnseen) && dryRun !== null && { dryRun }),
    ...(options.keepOwnership && { keepOwnership: true }),
    ...(options.throughStatus && { throughStatus: true }),
    ...(options.verifyEveryObject && { verify: "every-object" as const }),
  };
}
