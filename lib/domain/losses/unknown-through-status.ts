import type { Run } from "#lib/domain/rewrite/run.ts";

/** Why an object is not rewritten through /status although a dry run of its main resource may have shown everything. */
export const UNKNOWN_THROUGH_STATUS =
  "Its losses are unknown, because an old version has no /status subresource. Accept losses unseen to rewrite it through /status.";

/** Whether the run left objects alone because nobody could tell what writing them would lose. */
export function leftForUnknownLosses({ rejections }: Pick<Run, "rejections">): boolean {
  return rejections.some(({ reason, message }) => reason === "LossUnknown" || message.includes(UNKNOWN_THROUGH_STATUS));
}
