import { sourceLines } from "#components/version-flags/source-lines.ts";
import { flagsOf } from "#components/version-flags/version-flags.ts";
import type { CrdDetail } from "#lib/contract/crd.ts";
import type { RemovalStep } from "#lib/contract/removal.ts";

/** What a step's action comes to in the manifest that the definition is made from; null where it changes none. */
export function stepSource(crd: CrdDetail, version: string, { action }: Pick<RemovalStep, "action">): string | null {
  const found = crd.versions.find(({ name }) => name === version);
  switch (action) {
    case "deprecate":
      return found ? sourceLines(crd.versions, version, { ...flagsOf(found), deprecated: true }) : null;
    case "unserve":
      return found ? sourceLines(crd.versions, version, { ...flagsOf(found), served: false }) : null;
    case "remove":
      return `spec:\n  versions:\n    # no entry with the name ${version}`;
    case "drop":
      return "spec:\n  conversion:\n    strategy: None\n    # no webhook: the API server refuses one beside None";
    case "flip":
    case "restore":
    case "rewrite":
    case "prune":
    case null:
      return null;
    default:
      return action satisfies never;
  }
}
