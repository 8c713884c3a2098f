import type { Crd } from "#lib/domain/definition/crd.ts";
import { type Prune, type RewriteRecord, readableRecord } from "./rewrite-record.ts";

/** The newest prune that happened; null when there is none. */
export function lastPrune(crd: Pick<Crd, "record" | "storedVersions">): Prune | null {
  const record = readableRecord(crd);
  return record && withPruneDecided(record, crd).prune;
}

/**
 * The record without an unconfirmed prune: it happened for those of its versions that the list lacks, because others may be listed again
 * since. If it lacks none, it never will happen: its write requires that the definition still records it as unconfirmed. Whoever writes the
 * record writes this one, so that a version that is listed again later doesn't take a prune back that happened.
 */
export function withPruneDecided(record: RewriteRecord, { storedVersions }: Pick<Crd, "storedVersions">): RewriteRecord {
  const { pruning } = record;
  if (!pruning) return record;
  const listed = new Set(storedVersions);
  const versions = pruning.versions.filter((version) => !listed.has(version));
  return { ...record, pruning: null, prune: versions.length > 0 ? { ...pruning, versions } : record.prune };
}

/**
 * Whether putting back versions undoes the last prune. One that is `missing`, since it was removed without a proof, is repaired, whatever was
 * pruned earlier.
 */
export function undoesPrune(added: readonly string[], prune: Pick<Prune, "versions"> | null, missing: readonly string[]): boolean {
  return added.every((version) => prune?.versions.includes(version) && !missing.includes(version));
}
