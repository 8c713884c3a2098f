import { CONFIRM_HEADER, type Protection, protectionDetailsSchema, REASON_HEADER } from "#lib/contract/protection.ts";

/** Asks the person for the definition's name and a reason; null where they would rather not. */
type Ask = (protection: Protection) => Promise<{ reason: string } | null>;

let ask: Ask | null = null;

/** From now on this asks, whenever a protected definition is to be changed. Returns what ends that. */
export function onProtection(asker: Ask): () => void {
  ask = asker;
  return () => {
    if (ask === asker) ask = null;
  };
}

/** The headers with which a request may be sent again whose refusal has these details; null for another refusal, or when no reason is given. */
export async function justification(details: unknown): Promise<[name: string, value: string][] | null> {
  const parsed = protectionDetailsSchema.safeParse(details);
  if (!parsed.success || ask === null) return null;
  const { protection } = parsed.data;
  const given = await ask(protection);
  if (given === null) return null;
  return [
    [CONFIRM_HEADER, protection.crd],
    [REASON_HEADER, encodeURIComponent(given.reason)],
  ];
}
