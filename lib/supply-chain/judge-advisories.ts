import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { Advisory } from "./advisories.ts";

const acceptedSchema = z.array(
  z.strictObject({
    /** The advisory's. */
    id: z.string().min(1),
    package: z.string().min(1),
    /** Why it does no harm here, or what is done until there is a better version. */
    reason: z.string().min(20),
    /** The last day on which that holds. */
    until: z.iso.date(),
  }),
);

export type AcceptedAdvisory = z.infer<typeof acceptedSchema>[number];

const GRAVE = ["high", "critical"];

export interface Judgement {
  /** What has to be dealt with. */
  grave: Advisory[];
  /** The others, or accepted. */
  borne: Advisory[];
  /** What stands accepted and isn't: its day is over, or nothing is known of it any more. */
  outdated: AcceptedAdvisory[];
}

/** Those that somebody looked at and accepted for a while: accepted-advisories.json. */
export async function readAccepted(): Promise<AcceptedAdvisory[]> {
  return acceptedSchema.parse(JSON.parse(await readFile(new URL("accepted-advisories.json", import.meta.url), "utf8")));
}

/** @param today as `2026-11-22` */
export function judgeAdvisories(advisories: Advisory[], accepted: AcceptedAdvisory[], today: string): Judgement {
  const isOf = (one: AcceptedAdvisory, advisory: Advisory) => one.id === advisory.id && one.package === advisory.package;
  const isGrave = (advisory: Advisory) =>
    GRAVE.includes(advisory.severity) && !accepted.some((one) => isOf(one, advisory) && one.until >= today);
  return {
    grave: advisories.filter(isGrave),
    borne: advisories.filter((advisory) => !isGrave(advisory)),
    outdated: accepted.filter((one) => one.until < today || !advisories.some((advisory) => isOf(one, advisory))),
  };
}
