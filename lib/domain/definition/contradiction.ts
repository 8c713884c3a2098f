import type { EtcdCount } from "#lib/domain/objects/etcd-count.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { prunedUnproven } from "#lib/domain/rewrite/migration.ts";
import { readableRecord, validProof } from "#lib/domain/rewrite/run.ts";
import { counted } from "#lib/domain/wording/counted.ts";
import { type Crd, storageVersion } from "./crd.ts";

/** What etcd held against what the definition says: objects in versions where there should be none. */
export interface Contradiction {
  /** RFC 3339: when it was counted. */
  asOf: string;
  /** Versions that status.storedVersions does not list: the API server lets them be dropped. */
  unlisted: HeldVersion[];
  /** Leftover versions in which a proof that holds says that there are none. */
  disproved: HeldVersion[];
}

export interface HeldVersion {
  version: string;
  objects: number;
}

/** What the last count in etcd says against the definition; null when it agrees, was never made, or a later proof is about the same objects. */
export function contradictionOf(crd: Crd): Contradiction | null {
  const count = crd.etcdCount;
  if (!count || isOutdated(crd, count)) return null;
  const held = [...count.versions].map(([version, { objects }]) => ({ version, objects })).sort((a, b) => (a.version < b.version ? -1 : 1));
  const storage = storageVersion(crd)?.name;
  const unlisted = held.filter(({ version }) => !crd.storedVersions.includes(version));
  const disproved = validProof(crd) ? held.filter(({ version }) => version !== storage && crd.storedVersions.includes(version)) : [];
  return unlisted.length + disproved.length > 0 ? { asOf: count.asOf, unlisted, disproved } : null;
}

/**
 * Whether a rewrite has verified, since that count, every object that it found outside the storage version. One that skipped what is
 * above its settle point has not seen an object there again.
 */
export function isOutdated(crd: Pick<Crd, "uid" | "record">, count: EtcdCount): boolean {
  const proof = readableRecord(crd)?.proof;
  if (!proof || proof.uid !== crd.uid || compareResourceVersions(proof.verifiedResourceVersion, count.revision) <= 0) return false;
  if (proof.verify === "every-object") return true;
  return count.versions
    .entries()
    .every(
      ([version, { lastResourceVersion }]) =>
        version === proof.storageVersion || compareResourceVersions(lastResourceVersion, proof.settleResourceVersion) <= 0,
    );
}

/**
 * The versions to be put back into status.storedVersions at `now` (ms): those that vanished unproven, and those in which etcd holds objects. Of the
 * latter those that spec.versions has, if any: the list takes no other. Where nobody saw what another engine took out, all that it may have.
 */
export function missingStoredVersions(crd: Crd, now: number): string[] {
  const held = contradictionOf(crd)?.unlisted.map(({ version }) => version) ?? [];
  const listable = held.filter((version) => crd.versions.some(({ name }) => name === version));
  const known = [...new Set([...crd.shrankWithoutProof, ...(listable.length > 0 ? listable : held)])];
  return known.length > 0 ? known : prunedUnproven(crd, now);
}

/** What contradicts, in a sentence without its end. */
export function contradictionReason({ unlisted, disproved }: Contradiction): string {
  if (unlisted.length > 0) {
    const [names, it] = [namesOf(unlisted), unlisted.length === 1 ? "it" : "them"];
    return `etcd holds ${objectsIn(unlisted)}, which status.storedVersions does not list, so the API server would let ${names} be dropped with objects still stored in ${it}`;
  }
  return `etcd holds ${objectsIn(disproved)}, though a proof says that there are none`;
}

/** What repairs it: a rewrite that verifies every object, after the versions are listed again. */
export function contradictionRepair(crd: Pick<Crd, "versions">, { unlisted }: Contradiction): string {
  const rewrite = "rewrite with every object verified; a rewrite without that would skip what was written after the settle point";
  if (unlisted.length === 0) return `${rewrite[0]?.toUpperCase()}${rewrite.slice(1)}.`;
  const gone = unlisted.filter(({ version }) => !crd.versions.some(({ name }) => name === version));
  if (gone.length > 0) return `Put ${namesOf(gone)} back into spec.versions, then into status.storedVersions, and ${rewrite}.`;
  return `Put ${namesOf(unlisted)} back, then ${rewrite}.`;
}

function objectsIn(held: readonly HeldVersion[]): string {
  return held.map(({ version, objects }) => `${counted(objects, "object")} stored as ${version}`).join(" and ");
}

function namesOf(held: readonly HeldVersion[]): string {
  return held.map(({ version }) => version).join(", ");
}
