import { CONFIRM_HEADER, type Protection, protectionDetailsSchema, REASON_HEADER } from "#lib/contract/protection.ts";

/** What somebody is about to do to a definition, as its button says it. */
export interface NamedChange {
  label: string;
  /** Whether the definition's name was typed for it already. */
  isNamed?: boolean;
  /** Whether the reason becomes part of a record in the definition, and does not go with its Events. */
  isRecorded?: boolean;
}

export interface ProtectedChange extends Protection {
  change: NamedChange;
}

/** Asks the person for the definition's name and a reason; null where that is not possible now. */
type Ask = (asked: ProtectedChange) => Promise<{ reason: string } | null> | null;

/** What came of asking: nobody was asked where the refusal is another one, or nobody is there who could ask. */
type Justification = { headers: [name: string, value: string][] } | "given-up" | "not-asked";

let ask: Ask | null = null;

/** From now on this asks, whenever a protected definition is to be changed; it answers with null where the person would rather not. Returns what ends that. */
export function onProtection(asker: Ask): () => void {
  ask = asker;
  return () => {
    if (ask === asker) ask = null;
  };
}

/** The headers with which a request may be sent again whose refusal has these details. */
export async function justification(details: unknown, change: NamedChange): Promise<Justification> {
  const parsed = protectionDetailsSchema.safeParse(details);
  if (!parsed.success || ask === null) return "not-asked";
  const { protection } = parsed.data;
  const asked = ask({ ...protection, change });
  if (asked === null) return "not-asked";
  const given = await asked;
  if (given === null) return "given-up";
  return {
    headers: [
      [CONFIRM_HEADER, protection.crd],
      [REASON_HEADER, encodeURIComponent(given.reason)],
    ],
  };
}
