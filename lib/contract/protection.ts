import { z } from "zod";

/** On a request that changes a protected definition: the definition's name … */
export const CONFIRM_HEADER = "x-crdshift-confirm";
/** … and why it is changed, as encodeURIComponent writes it. */
export const REASON_HEADER = "x-crdshift-reason";

/** Characters of a reason, without the blanks around it. */
export const REASON_LENGTH = { least: 10, most: 500 };

export const reasonSchema = z.string().trim().min(REASON_LENGTH.least).max(REASON_LENGTH.most);

const protectionSchema = z.object({ pattern: z.string(), crd: z.string() });
export type Protection = z.infer<typeof protectionSchema>;

/** The details of the error with which a request without these headers is refused. */
export const protectionDetailsSchema = z.object({ protection: protectionSchema });
