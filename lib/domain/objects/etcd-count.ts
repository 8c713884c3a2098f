import { counted } from "#lib/domain/wording/counted.ts";
/** What has been read of a definition's objects in etcd, all at one revision. */
export interface EtcdCount {
  /** etcd's revision, which is a resourceVersion too. */
  revision: string;
  /** RFC 3339: when that revision was the newest. */
  asOf: string;
  /** Objects at that revision, read or not. */
  total: number;
  /** By version, with the resourceVersion of the object written last. */
  versions: Map<string, { objects: number; lastResourceVersion: string }>;
  /** Objects whose value is encrypted. */
  encrypted: number;
  /** Objects whose value tells its version in no other way that is known. */
  unreadable: number;
}

/** How many of the objects have been read. */
export function objectsRead({ versions, encrypted, unreadable }: EtcdCount): number {
  return versions.values().reduce((sum, { objects }) => sum + objects, encrypted + unreadable);
}

/** Whether it says something: of objects that all are encrypted or unreadable nothing is known. */
export function isTelling(count: EtcdCount): boolean {
  return count.total === 0 || count.versions.size > 0 || objectsRead(count) < count.total;
}

/** What can't be known of the objects because their values don't tell, in a sentence; null when all do. */
export function unreadableReason(count: EtcdCount): string | null {
  const { encrypted, unreadable } = count;
  if (encrypted + unreadable === 0) return null;
  const parts = [
    ...(encrypted > 0 ? [`${countOf(encrypted)} encrypted`] : []),
    ...(unreadable > 0 ? [`${countOf(unreadable)} of another format`] : []),
  ];
  return `In etcd ${parts.join(" and ")}: the version ${encrypted + unreadable === 1 ? "it is" : "they are"} stored in can't be read there.`;
}

function countOf(objects: number): string {
  return `${counted(objects, "object")} ${objects === 1 ? "is" : "are"}`;
}
