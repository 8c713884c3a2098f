import { z } from "zod";

/** Header on a request that changes a protected definition: the definition's name … */
export const CONFIRM_HEADER = "x-crdshift-confirm";
/** … and the reason, encoded with encodeURIComponent. */
export const REASON_HEADER = "x-crdshift-reason";

/** Length limits of a reason in characters, on one line. */
export const REASON_LENGTH = { least: 10, most: 500 };

/** A reason as stored: whitespace and control characters become single spaces. */
export function oneLine(reason: string): string {
  return reason.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
}

/** What is wrong with a reason and how to fix it; null when it is valid. */
export function reasonFault(reason: string): string | null {
  const { length } = oneLine(reason);
  // Invisible joiners are legitimate in some scripts but don't count as text.
  const { length: seen } = oneLine(reason.replaceAll(/\p{Cf}/gu, ""));
  const { least, most } = REASON_LENGTH;
  if (seen === 0) return `Give a reason of ${least} to ${most} characters.`;
  if (seen < least) return `The reason is too short: use at least ${least} characters.`;
  if (length > most) return `The reason is too long: use at most ${most} characters.`;
  return null;
}

const protectionSchema = z.object({ pattern: z.string(), crd: z.string() });
export type Protection = z.infer<typeof protectionSchema>;

/** Error details when a request lacks these headers. */
export const protectionDetailsSchema = z.object({ protection: protectionSchema });
