import { CONFIRM_HEADER, type Protection, protectionDetailsSchema, REASON_HEADER } from "#lib/contract/protection.ts";

/** A change to a definition, named as on its button. */
export interface NamedChange {
  label: string;
  /** Whether the user has already typed the definition's name. */
  isNamed?: boolean;
  /** Whether the reason is recorded in the definition, so that it outlives its Events. */
  isRecorded?: boolean;
}

export interface ProtectedChange extends Protection {
  change: NamedChange;
}

/** Asks the user for the definition's name and a reason; null if that is not possible now. */
type Ask = (asked: ProtectedChange) => Promise<{ reason: string } | null> | null;

/** The result of asking: `not-asked` if the refusal has another cause or there is no listener. */
type Justification = { headers: [name: string, value: string][] } | "given-up" | "not-asked";

let ask: Ask | null = null;

/** Registers `asker` for changes to protected definitions; it resolves to null if the user declines. Returns how to unregister it. */
export function onProtection(asker: Ask): () => void {
  ask = asker;
  return () => {
    if (ask === asker) ask = null;
  };
}

/** The headers for resending a request that was refused with these details. */
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
