import type { Attempts } from "#lib/rewrite/run/object/write/note-lost-answer.ts";
import type { ObjectRejection } from "./object-answer.ts";

/** What is looked at right before something is written: why not to write it, or null. */
export type Look = () => Promise<ObjectRejection | { kind: "gone" } | null>;

/** The look, whose refusal says so if an earlier attempt may have been stored. */
export function lookAfter(attempts: Attempts, look: Look): Look {
  return async () => {
    const refusal = await look();
    if (refusal?.kind !== "rejected" || !attempts.unanswered) return refusal;
    const message = `${refusal.message} An earlier attempt got no answer and may have been stored anyway.`;
    return { ...refusal, message, mayBeStored: true };
  };
}
