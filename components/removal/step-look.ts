import type { RemovalStep } from "#lib/contract/removal.ts";

const HELD = { rights: "you may not", "read-only": "nothing can be changed here" };

interface Seen {
  isCurrent: boolean;
  /** What keeps whoever looks from taking a step that is ready. */
  heldBy: "rights" | "read-only" | null;
}

/** How a step's standing looks: a sign, a word, a colour for what needs one. */
export function stepLook(
  { state, refusal }: Pick<RemovalStep, "state" | "refusal">,
  { isCurrent, heldBy }: Seen,
): { sign: string; word: string; colour: string } {
  switch (state) {
    case "done":
      return { sign: "✓", word: "done", colour: "text-good" };
    case "unneeded":
      return { sign: "–", word: "not needed", colour: "" };
    case "ready":
      if (heldBy) return { sign: "○", word: `ready, but ${HELD[heldBy]}`, colour: "" };
      return isCurrent ? { sign: "●", word: "now", colour: "text-working" } : { sign: "○", word: "can be done", colour: "" };
    case "refused":
      if (isCurrent && refusal?.run) return { sign: "●", word: "a rewrite is at work", colour: "text-working" };
      return isCurrent ? { sign: "▲", word: "not safe yet", colour: "text-warning" } : { sign: "○", word: "not yet", colour: "" };
    default:
      return state satisfies never;
  }
}
