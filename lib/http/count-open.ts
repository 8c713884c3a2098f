import { AppError } from "#lib/contract/app-error.ts";
import type { RequestOwner } from "./signed-in-route.ts";

/** Streams that are open in this process, by person. */
export type Open = Map<string, number>;

export interface Most {
  ofPerson: number;
  /** Of one network that shares crdshift's own credentials. All of them have at most twice as many, and each leaves as many free as it has. */
  shared: number;
}

/**
 * Counts one more stream as open until the returned function is called, once.
 * @throws `tooMany` with how many this person has open if that is the most, and AppError too_many_requests if other networks have all.
 */
export function countOpen(
  { open }: { open: Open },
  { person, isShared }: RequestOwner,
  most: Most,
  tooMany: (most: number) => AppError,
): () => void {
  // Those with credentials of their own take nothing from the shared: crdshift has either the one or the other.
  const limit = isShared ? Math.min(most.shared, 2 * most.shared - countAll(open)) : most.ofPerson;
  const before = open.get(person) ?? 0;
  if (before >= limit) throw before === 0 ? allTaken() : tooMany(before);
  open.set(person, before + 1);
  return () => {
    const left = (open.get(person) ?? 1) - 1;
    if (left > 0) open.set(person, left);
    else open.delete(person);
  };
}

function allTaken(): AppError {
  return new AppError("too_many_requests", "Other readers have as much under way as crdshift allows.", {
    nextStep: "Try again in a minute.",
  });
}

/** How many streams are open. */
export function countAll(open: Open): number {
  return open.values().reduce((sum, streams) => sum + streams, 0);
}
