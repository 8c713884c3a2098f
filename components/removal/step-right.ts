import type { GuardedAction } from "#lib/domain/needed-rights.ts";
import type { RemovalAction } from "#lib/domain/removal.ts";

/** What a step's action comes to, by the rights that it takes; null where nothing is to be done. */
export function stepRight(action: RemovalAction | null): GuardedAction | null {
  switch (action) {
    case "deprecate":
    case "unserve":
    case "flip":
    case "remove":
    case "drop":
      return "change-spec";
    case "restore":
    case "prune":
      return "prune";
    case "rewrite":
      return "rewrite";
    case null:
      return null;
    default:
      return action satisfies never;
  }
}
