import type { AppError } from "#lib/contract/app-error.ts";
import type { RequestOwner } from "./signed-in-route.ts";

/** Streams that are open in this process, by person. */
export type Open = Map<string, number>;

export interface Most {
  ofPerson: number;
  shared: number;
}

/** Counts one more stream as open until the returned function is called, once. Throws `tooMany` if this person has the most already. */
export function countOpen(
  { open }: { open: Open },
  { person, isShared }: RequestOwner,
  most: Most,
  tooMany: (most: number) => AppError,
): () => void {
  const limit = isShared ? most.shared : most.ofPerson;
  const before = open.get(person) ?? 0;
  if (before >= limit) throw tooMany(limit);
  open.set(person, before + 1);
  return () => {
    const left = (open.get(person) ?? 1) - 1;
    if (left > 0) open.set(person, left);
    else open.delete(person);
  };
}
