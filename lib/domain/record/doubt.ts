import type { Crd } from "#lib/domain/definition/crd.ts";
import { runsSince } from "#lib/domain/rewrite/run.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import type { Doubt, RewriteRecord } from "./rewrite-record.ts";

/**
 * What the rewrites since the newest proof left in doubt: those of `runs`, and earlier ones that are no longer among them. It is to be
 * kept with the definition; one that says nothing of it is not begun. Only whoever writes a proof ends it, not a run that is said to have
 * succeeded.
 */
export function doubtIn({ doubt, runs }: Pick<RewriteRecord, "doubt" | "runs">, crd: Pick<Crd, "versions">): Doubt | null {
  const since = runsSince(runs, ({ phase }) => phase === "succeeded").filter(({ counts }) => counts.rejected + counts.rewritten > 0);
  const begun = { rejected: Math.max(0, ...since.map(({ counts }) => counts.rejected)) };
  if (since.length === 0 || !saysSomething(begun, crd)) return doubt;
  return worseDoubt(begun, doubt);
}

/** Both doubts as one; null when there is neither. */
function worseDoubt(one: Doubt | null, other: Doubt | null): Doubt | null {
  return one && other ? { rejected: Math.max(one.rejected, other.rejected) } : (one ?? other);
}

/** The record with a doubt for an object that was just found changed or rejected; the same object if that adds nothing. */
export function withDoubt(record: RewriteRecord, crd: Pick<Crd, "versions">): RewriteRecord {
  const found = { rejected: 0 };
  return record.doubt || !saysSomething(found, crd) ? record : { ...record, doubt: found };
}

/**
 * The doubt to keep with a definition, by its record and what this process remembers; null when there is none. Whoever shows, writes, or
 * remembers a doubt takes it from here, so that none forgets one of the two.
 */
export function keptDoubt(crd: Pick<Crd, "record" | "versions" | "rememberedDoubt">): Doubt | null {
  const told = crd.record === null || crd.record === "unreadable" ? null : doubtIn(crd.record, crd);
  return worseDoubt(told, crd.rememberedDoubt);
}

/** The kept doubt, if it says something about the definition's objects as its spec is now; null otherwise. */
export function doubtOf(crd: Pick<Crd, "record" | "versions" | "rememberedDoubt">): Doubt | null {
  const doubt = keptDoubt(crd);
  return doubt && saysSomething(doubt, crd) ? doubt : null;
}

/** Says that objects of a definition in doubt may be stored as told, and how to end the doubt; null without a doubt. */
export function doubtRefusal(
  crd: Pick<Crd, "record" | "versions" | "rememberedDoubt">,
  stored: string,
): { message: string; nextStep: string } | null {
  const doubt = doubtOf(crd);
  if (!doubt) return null;
  return doubt.rejected > 0
    ? {
        message: `A rewrite could not verify ${formatCountOf(doubt.rejected, "object")}, which may be stored ${stored}.`,
        nextStep: "See what was rejected, fix the cause, then rewrite again.",
      }
    : {
        message: `A rewrite changed objects and ended before it had verified all of them, so some may be stored ${stored}.`,
        nextStep: "Rewrite again.",
      };
}

// A spec with one version leaves no other that a changed object could have been stored in.
function saysSomething({ rejected }: Doubt, { versions }: Pick<Crd, "versions">): boolean {
  return rejected > 0 || versions.length > 1;
}
