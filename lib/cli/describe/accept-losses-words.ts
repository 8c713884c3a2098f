import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { NextStep } from "#lib/domain/definition/next-step.ts";
import { unacceptedLosses } from "#lib/domain/losses/losses.ts";

type Versions = readonly Pick<CrdDetail["versions"][number], "served">[];

/** What a rewrite needs to go on in spite of its losses, as command lines. */
export function acceptLossesWords(
  { dryRun: id, canKeepOwnership }: Extract<NextStep, { step: "review-losses" }>,
  { recorded, versions, dryRun, rewrite }: { recorded: CrdDetail["dryRun"]; versions: Versions; dryRun: string; rewrite: string },
): string {
  const known = recorded?.id === id ? recorded : null;
  const listed = known && unacceptedLosses(known, { keepOwnership: false });
  if (listed?.length === 0) return `See why losses are unknown: ${dryRun}; accept them unseen and continue: ${rewrite} --accept-unseen`;
  // No object can be checked then, so the rewrite goes on only if the rest is accepted, too.
  const isHidden = known?.lossesKnown === false && versions.some(({ served }) => !served);
  const keeps = canKeepOwnership && (listed?.some(({ kind }) => kind === "managed-fields") ?? true);
  return [
    `See the losses: ${dryRun}; accept them${isHidden ? ", and what is unknown," : ""} and continue: ${rewrite} --accept-losses`,
    ...(isHidden ? ["--accept-unseen"] : []),
    ...(keeps ? ["(add --keep-ownership to keep managedFields)"] : []),
  ].join(" ");
}
