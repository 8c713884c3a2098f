import type { EtcdCount } from "#lib/domain/objects/etcd-count.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import type { Proof, SettlePoint } from "#lib/domain/record/rewrite-record.ts";
import { truthfulProof, validProof } from "#lib/domain/record/valid-evidence.ts";
import { prunedUnproven } from "#lib/domain/rewrite/other-engines.ts";
import { firstOf, MOST_NAMED } from "#lib/domain/wording/first-of.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { type Crd, storageVersion, versionNames } from "./crd.ts";

/** Objects that etcd holds in versions where the definition says there are none. */
export interface Contradiction {
  /** RFC 3339: when it was counted. */
  asOf: string;
  /** Versions that status.storedVersions does not list: the API server lets them be dropped. */
  unlisted: HeldVersion[];
  /** Leftover versions that a valid proof says are empty. */
  disproved: HeldVersion[];
}

export interface HeldVersion {
  version: string;
  objects: number;
}

/** How the last etcd count contradicts the definition; null when it agrees, there is none, or a later proof covers the same objects. */
export function contradictionOf(crd: Crd): Contradiction | null {
  const count = crd.etcdCount;
  if (!count || isOutdated(crd, count)) return null;
  const held = [...count.versions].map(([version, { objects }]) => ({ version, objects })).sort((a, b) => (a.version < b.version ? -1 : 1));
  const storage = storageVersion(crd)?.name;
  const listed = new Set(crd.storedVersions);
  const unlisted = held.filter(({ version }) => !listed.has(version));
  const disproved = validProof(crd) ? held.filter(({ version }) => version !== storage && listed.has(version)) : [];
  return unlisted.length + disproved.length > 0 ? { asOf: count.asOf, unlisted, disproved } : null;
}

/**
 * Whether a rewrite has since verified every object that the count found outside the storage version, by a proof that this installation
 * signed: what anyone may have written says nothing against a count. A rewrite that skips objects above its settle point has not checked
 * them again.
 */
export function isOutdated(crd: Crd, count: EtcdCount): boolean {
  const proof = truthfulProof(crd);
  if (!proof || compareResourceVersions(proof.verifiedResourceVersion, count.revision) <= 0) return false;
  if (proof.verify === "every-object") return true;
  return count.versions
    .entries()
    .every(
      ([version, { lastResourceVersion }]) =>
        version === proof.storageVersion || compareResourceVersions(lastResourceVersion, proof.settleResourceVersion) <= 0,
    );
}

/**
 * Whether the last etcd count shows that a proof or a settle point of this spec isn't true: it found objects in other versions that are
 * newer, or that the proof took no account of.
 */
export function isContradicted(crd: Crd, part: Proof | SettlePoint): boolean {
  const count = crd.etcdCount;
  if (!count || isOutdated(crd, count)) return false;
  const storage = storageVersion(crd)?.name;
  const settledAt = "takenAt" in part ? part.resourceVersion : part.settleResourceVersion;
  const isBefore = "provenAt" in part && compareResourceVersions(part.verifiedResourceVersion, count.revision) < 0;
  return count.versions
    .entries()
    .some(([version, held]) => version !== storage && (isBefore || compareResourceVersions(held.lastResourceVersion, settledAt) > 0));
}

/**
 * The versions that status.storedVersions lacks, or may lack, at `now` (ms): those removed without proof, those that another engine may have
 * removed, and those in which etcd holds objects. If any of the last are in spec.versions, only those of them, because the list accepts no
 * others.
 */
export function missingStoredVersions(crd: Crd, now: number): string[] {
  const held = contradictionOf(crd)?.unlisted.map(({ version }) => version) ?? [];
  const listable = held.filter((version) => versionNames(crd).has(version));
  return [...new Set([...crd.shrankWithoutProof, ...(listable.length > 0 ? listable : held), ...prunedUnproven(crd, now)])];
}

/** The contradiction as a sentence without its period. */
export function contradictionReason({ unlisted, disproved }: Contradiction): string {
  if (unlisted.length > 0) {
    const [names, it] = [namesOf(unlisted), unlisted.length === 1 ? "it" : "them"];
    return `etcd holds ${objectsIn(unlisted)}, which status.storedVersions doesn't list, so the API server would let you drop ${names} with objects still stored in ${it}`;
  }
  return `etcd holds ${objectsIn(disproved)}, but a proof says there are none`;
}

/** How to resolve it: repair the list, then rewrite with every object verified. */
export function contradictionRepair(crd: Pick<Crd, "versions">, { unlisted }: Contradiction): string {
  const rewrite =
    "rewrite with every object verified; otherwise a crdshift that hasn't counted them, such as the command line, skips objects written after " +
    "the settle point";
  if (unlisted.length === 0) return `${rewrite[0]?.toUpperCase()}${rewrite.slice(1)}.`;
  const gone = unlisted.filter(({ version }) => !versionNames(crd).has(version));
  if (gone.length > 0) return `Put ${namesOf(gone)} back into spec.versions, repair storedVersions, and ${rewrite}.`;
  return `Repair storedVersions, then ${rewrite}.`;
}

function objectsIn(held: readonly HeldVersion[]): string {
  const told = held.map(({ version, objects }) => `${formatCountOf(objects, "object")} stored as ${version}`);
  return told.length > MOST_NAMED ? firstOf(told) : told.join(" and ");
}

function namesOf(held: readonly HeldVersion[]): string {
  return firstOf(held.map(({ version }) => version));
}
