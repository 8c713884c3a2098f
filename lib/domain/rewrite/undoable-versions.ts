import type { CrdVersion } from "#lib/domain/definition/crd.ts";
import type { Prune } from "./rewrite-record.ts";

/**
 * The versions of the last prune that an undo adds to status.storedVersions: those that spec.versions still has and the list lacks. All of
 * them if there are none, so that the undo says why it is refused.
 */
export function undoableVersions(
  { versions: pruned }: Pick<Prune, "versions">,
  { versions, storedVersions }: { versions: readonly Pick<CrdVersion, "name">[]; storedVersions: readonly string[] },
): string[] {
  const undoable = pruned.filter((version) => versions.some(({ name }) => name === version) && !storedVersions.includes(version));
  return undoable.length > 0 ? undoable : pruned;
}
