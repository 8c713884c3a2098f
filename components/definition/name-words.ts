import type { NameRole } from "#lib/domain/name-collisions.ts";

/** What a name of a definition is, in words. */
export const nameWords: Record<NameRole, string> = {
  plural: "plural",
  singular: "singular",
  shortNames: "short name",
  kind: "kind",
  listKind: "list kind",
};
