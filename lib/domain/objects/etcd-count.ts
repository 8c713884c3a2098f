import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { compareResourceVersions } from "./resource-version.ts";

/** Counts of a definition's objects in etcd at one revision. */
export interface EtcdCount {
  /** etcd's revision, also a resourceVersion. */
  revision: string;
  /** RFC 3339: when that revision was the newest. */
  asOf: string;
  /** Objects at that revision, read or not. */
  total: number;
  /** By version, with the resourceVersion of the last write. */
  versions: Map<string, { objects: number; lastResourceVersion: string }>;
  /** Objects whose value is encrypted. */
  encrypted: number;
  /** Objects in an unknown format, whose version can't be read. */
  unreadable: number;
}

/** Number of objects read. */
export function objectsRead({ versions, encrypted, unreadable }: EtcdCount): number {
  return versions.values().reduce((sum, { objects }) => sum + objects, encrypted + unreadable);
}

/** Whether the count gives any information; false if every object is encrypted or unreadable. */
export function isTelling(count: EtcdCount): boolean {
  return count.total === 0 || count.versions.size > 0 || objectsRead(count) < count.total;
}

/** The count with no resourceVersion above `to`, to which etcd was restored: a proof or a count from then on replaces it. */
export function countNotAbove(count: EtcdCount, to: string): EtcdCount {
  const notAbove = (at: string) => (compareResourceVersions(at, to) > 0 ? to : at);
  const versions = [...count.versions].map(
    ([version, held]) => [version, { ...held, lastResourceVersion: notAbove(held.lastResourceVersion) }] as const,
  );
  return { ...count, revision: notAbove(count.revision), versions: new Map(versions) };
}

/** A sentence about objects whose version can't be read; null when all can. */
export function unreadableReason(count: EtcdCount): string | null {
  const { encrypted, unreadable } = count;
  if (encrypted + unreadable === 0) return null;
  const parts = [
    ...(encrypted > 0 ? [`${countOf(encrypted)} encrypted`] : []),
    ...(unreadable > 0 ? [`${countOf(unreadable)} in another format`] : []),
  ];
  return `In etcd, ${parts.join(" and ")}, so ${encrypted + unreadable === 1 ? "its" : "their"} stored version can't be read.`;
}

function countOf(objects: number): string {
  return `${formatCountOf(objects, "object")} ${objects === 1 ? "is" : "are"}`;
}
