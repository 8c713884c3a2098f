import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Doubt, RewriteRecord } from "./rewrite-record.ts";
import { readableRecord } from "./valid-proof.ts";

/** What the rewrites since the newest proof left in doubt: those of `runs`, and earlier ones that are no longer among them. */
export function doubtIn({ doubt, runs }: Pick<RewriteRecord, "doubt" | "runs">): Doubt | null {
  const proving = runs.findIndex(({ phase }) => phase === "succeeded");
  if (proving === 0) return null;
  const since = proving === -1 ? runs : runs.slice(0, proving);
  const rejected = since.filter(({ counts }) => counts.rejected + counts.rewritten > 0).map(({ counts }) => counts.rejected);
  return doubt === null && rejected.length === 0 ? null : { rejected: Math.max(doubt?.rejected ?? 0, ...rejected) };
}

/**
 * The doubt about a definition's objects; null when there is none. A spec with one version leaves no other that a changed object could
 * have been stored in.
 */
export function doubtOf(crd: Pick<Crd, "record" | "versions">): Doubt | null {
  const record = readableRecord(crd);
  const doubt = record && doubtIn(record);
  return doubt && (doubt.rejected > 0 || crd.versions.length > 1) ? doubt : null;
}
