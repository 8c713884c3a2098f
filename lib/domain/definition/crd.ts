import type { EtcdCount } from "#lib/domain/objects/etcd-count.ts";
import type { Migration } from "#lib/domain/rewrite/migration.ts";
import type { RewriteRecord } from "#lib/domain/rewrite/run.ts";
import { compareVersionPriority, versionPriorityOrder } from "#lib/domain/versions/version-priority.ts";

/** A CustomResourceDefinition without its schemas: what every rule of this folder decides on. */
export interface Crd {
  name: string;
  uid: string;
  generation: number;
  resourceVersion: string;
  group: string;
  kind: string;
  plural: string;
  /** The names of spec.names beside kind and plural. */
  names: CrdNames;
  /** What the API server has accepted of all names; null when that is what the spec asks for. */
  acceptedNames: AcceptedNames | null;
  scope: "Namespaced" | "Cluster";
  /** As in spec.versions, in the order of the spec. */
  versions: CrdVersion[];
  /** Empty when the API server has not written a status yet. */
  storedVersions: string[];
  /** Versions that this process saw vanish from storedVersions with nothing to prove it; set by the fleet, empty otherwise. */
  shrankWithoutProof: string[];
  /** The last whole count of its objects in etcd; set by the fleet, null otherwise. */
  etcdCount: EtcdCount | null;
  /** What other engines do or did with it, newest first; set by whoever has looked, empty otherwise. */
  migrations: Migration[];
  /** Whether all of the cluster's own could be listed: one that is not among them is not there. */
  migrationsTold: boolean;
  conversion: CrdConversion;
  conditions: CrdCondition[];
  /** RFC 3339, when somebody deleted it. */
  deletionTimestamp: string | null;
  /** Of the definition itself. */
  finalizers: string[];
  /** RFC 3339: the newest time among the managedFields entries that are not for /status; null when there is none. */
  specChangedAt: string | null;
  owner: string | null;
  /** What crdshift wrote into the annotation; `unreadable` when somebody else's hand was there. */
  record: RewriteRecord | "unreadable" | null;
  /** The versions that crdshift removed, of which the definition keeps the entry, newest first. A name may stand there twice. */
  removedVersions: RemovedVersion[];
  /** The conversion webhook that crdshift dropped last, which the definition keeps; null when it keeps none. */
  droppedConversion: DroppedConversion | null;
}

export interface CrdNames {
  singular: string;
  listKind: string;
  shortNames: string[];
  categories: string[];
}

/** Names of status.acceptedNames; all are empty while none is accepted. Categories can't collide. */
export interface AcceptedNames {
  plural: string;
  singular: string;
  kind: string;
  listKind: string;
  shortNames: string[];
}

/** Paths inside an object, as in `.spec.replicas`. */
export interface ScalePaths {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath: string | null;
}

export interface RemovedVersion {
  version: string;
  /** RFC 3339. */
  removedAt: string;
  /** The user as the API server called it; null where that was not known. */
  by: string | null;
}

export interface DroppedConversion {
  /** Where the webhook was called. */
  target: string;
  /** RFC 3339. */
  droppedAt: string;
  /** The user as the API server called it; null where that was not known. */
  by: string | null;
}

export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated: boolean;
  /** Whether it has the subresource `/status`. */
  hasStatus: boolean;
  /** Where the subresource `/scale` reads and writes; null without it. */
  scale: ScalePaths | null;
  /** The custom text of spec.versions[].deprecationWarning. */
  customWarning: string | null;
}

export type CrdConversion = { strategy: "None" } | { strategy: "Webhook"; target: string };

export interface CrdCondition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason: string;
  message: string;
  observedGeneration?: number | undefined;
}

/** The one version with `storage: true`. The API server accepts no CRD without one; null covers what it might send anyway. */
export function storageVersion(crd: Pick<Crd, "versions">): CrdVersion | null {
  return crd.versions.find((version) => version.storage) ?? null;
}

/** What discovery prefers: the first served version in priority order, or null when none is served. */
export function preferredVersion(crd: Pick<Crd, "versions">): CrdVersion | null {
  return versionPriorityOrder(crd.versions).find((version) => version.served) ?? null;
}

/** The version to read objects at: the storage version, which needs no conversion, else the preferred one. */
export function readingVersion(crd: Pick<Crd, "versions">): CrdVersion | null {
  const storage = storageVersion(crd);
  return storage?.served ? storage : preferredVersion(crd);
}

export function hasCondition(crd: Pick<Crd, "conditions">, type: string): boolean {
  return crd.conditions.some((condition) => condition.type === type && condition.status === "True");
}

/**
 * The Warning header's text that clients of a deprecated version get, or null when it is not deprecated.
 * Source: apiextensions-apiserver/pkg/apiserver/customresource_handler.go, defaultDeprecationWarning.
 */
export function deprecationWarning(crd: Pick<Crd, "group" | "kind" | "versions">, version: CrdVersion): string | null {
  if (!version.deprecated) return null;
  if (version.customWarning !== null) return version.customWarning;
  const replacement = versionPriorityOrder(crd.versions).find(
    (other) => other.served && !other.deprecated && compareVersionPriority(other.name, version.name) < 0,
  );
  const warning = `${crd.group}/${version.name} ${crd.kind} is deprecated`;
  return replacement ? `${warning}; use ${crd.group}/${replacement.name} ${crd.kind}` : warning;
}
