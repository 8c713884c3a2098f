import { z } from "zod";

/** On a request that changes a protected definition: the definition's name … */
export const CONFIRM_HEADER = "x-crdshift-confirm";
/** … and why it is changed, as encodeURIComponent writes it. */
export const REASON_HEADER = "x-crdshift-reason";

/** Characters of a reason, as one line. */
export const REASON_LENGTH = { least: 10, most: 500 };

/** A reason as it is kept: what breaks lines is a blank. */
export function oneLine(reason: string): string {
  return reason.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
}

/** What is wrong with a reason, and what would be right; null for one that will do. */
export function reasonFault(reason: string): string | null {
  const { length } = oneLine(reason);
  // Some letters need marks that are not seen to be joined; by themselves they say nothing.
  const { length: seen } = oneLine(reason.replaceAll(/\p{Cf}/gu, ""));
  const { least, most } = REASON_LENGTH;
  if (seen === 0) return `Give a reason, in ${least} to ${most} characters.`;
  if (seen < least) return `The reason is too short: give at least ${least} characters.`;
  if (length > most) return `The reason is too long: give at most ${most} characters.`;
  return null;
}

const protectionSchema = z.object({ pattern: z.string(), crd: z.string() });
export type Protection = z.infer<typeof protectionSchema>;

/** The details of the error with which a request without these headers is refused. */
export const protectionDetailsSchema = z.object({ protection: protectionSchema });
