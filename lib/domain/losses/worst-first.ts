import { type Loss, lossKinds } from "./losses.ts";

/** Losses sorted by kind, then by number of objects, then by path. */
export function worstFirst<Some extends Pick<Loss, "kind" | "path" | "objects">>(losses: readonly Some[]): Some[] {
  return [...losses].sort(
    (one, other) =>
      lossKinds.indexOf(one.kind) - lossKinds.indexOf(other.kind) || other.objects - one.objects || one.path.localeCompare(other.path),
  );
}
