import type { EtcdCount } from "#lib/domain/objects/etcd-count.ts";
import type { ManagedFieldsCount } from "#lib/domain/objects/managed-fields-count.ts";
import type { Doubt, RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import type { Migration } from "#lib/domain/rewrite/migration.ts";
import { compareVersionPriority } from "#lib/domain/versions/version-priority.ts";

/** A CustomResourceDefinition without its schemas: the input of every rule in this folder. */
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
  /** Names that the API server accepted; null when they match the spec. */
  acceptedNames: AcceptedNames | null;
  scope: "Namespaced" | "Cluster";
  /** In spec order. */
  versions: CrdVersion[];
  /** Empty until the API server writes a status. */
  storedVersions: string[];
  /** Versions that this process saw removed from storedVersions without a proof; set by the fleet, otherwise empty. */
  shrankWithoutProof: string[];
  /** The last complete count of its objects in etcd; set by the fleet, otherwise null. */
  etcdCount: EtcdCount | null;
  /** The last complete count of its objects' managedFields; set by the fleet, otherwise null. */
  managedFieldsCount: ManagedFieldsCount | null;
  /** Migrations by other engines, newest first; empty unless the caller read them. */
  migrations: Migration[];
  /** Whether all in-tree migrations were listed, so an absent one does not exist. */
  migrationsListed: boolean;
  conversion: CrdConversion;
  conditions: CrdCondition[];
  /** RFC 3339. */
  deletionTimestamp: string | null;
  /** Of the definition itself. */
  finalizers: string[];
  /** RFC 3339: the newest time among managedFields entries that are not for /status; null when there is none. */
  specChangedAt: string | null;
  owner: string | null;
  /** The settle wait that this crdshift requires; evidence that rests on a shorter one is worth nothing. */
  settleSeconds: number;
  /** All annotations but crdshift's record: the bytes of their names and values, and the one that takes most of them. */
  otherAnnotations: { bytes: number; largest: { name: string; bytes: number } | null };
  /** Recorded evidence that this installation has not signed, so that anyone may have written it. */
  claims: { proof: boolean; settlePoint: boolean; dryRun: boolean };
  /** crdshift's annotation; `unreadable` when it can't be parsed. */
  record: RewriteRecord | "unreadable" | null;
  /** A doubt that this process has seen in the record and that no proof has ended since, whatever the record says now. */
  rememberedDoubt: Doubt | null;
  /** Versions that a delegated run's record named as removed without a proof while this process watched, whatever the record says now. */
  rememberedShrink: string[];
  /** Versions that crdshift removed and whose entries the definition keeps, newest first. A name may occur twice. */
  removedVersions: RemovedVersion[];
  /** The last conversion webhook that crdshift dropped and the definition keeps; null when there is none. */
  droppedConversion: DroppedConversion | null;
}

export interface CrdNames {
  singular: string;
  listKind: string;
  shortNames: string[];
  categories: string[];
}

/** Names from status.acceptedNames, all empty while none is accepted. Categories can't collide. */
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
  /** Address of the webhook. */
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
  /** Whether it has the `/status` subresource. */
  hasStatus: boolean;
  /** Paths of the `/scale` subresource; null without it. */
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

/** The one version with `storage: true`. The API server accepts no CRD without one; null is a safeguard. */
export function storageVersion({ versions }: Pick<Crd, "versions">): CrdVersion | null {
  const known = storageVersions.get(versions);
  if (known !== undefined) return known;
  const found = versions.find((version) => version.storage) ?? null;
  storageVersions.set(versions, found);
  return found;
}

/** Looked for once in each list, which may have thousands. */
const storageVersions = new WeakMap<readonly CrdVersion[], CrdVersion | null>();

const namesOfVersions = new WeakMap<object, ReadonlySet<string>>();

/** The names in spec.versions, to look many names up: a definition may have thousands of versions, too. Made once for each list. */
export function versionNames({ versions }: { versions: readonly { name: string }[] }): ReadonlySet<string> {
  const names = namesOfVersions.get(versions) ?? new Set(versions.map(({ name }) => name));
  namesOfVersions.set(versions, names);
  return names;
}

/** The version that discovery prefers: the first served one in priority order; null when none is served. */
export function preferredVersion(crd: Pick<Crd, "versions">): CrdVersion | null {
  const served = crd.versions.filter((version) => version.served);
  return served.reduce<CrdVersion | null>((best, one) => (best && compareVersionPriority(best.name, one.name) <= 0 ? best : one), null);
}

/** The version to read objects at: the storage version if served, since it needs no conversion, else the preferred one. */
export function readingVersion(crd: Pick<Crd, "versions">): CrdVersion | null {
  const storage = storageVersion(crd);
  return storage?.served ? storage : preferredVersion(crd);
}

/**
 * Whether a condition is True: the first of its type, by which the API server goes.
 * Source: apiextensions-apiserver/pkg/apihelpers/helpers.go, IsCRDConditionPresentAndEqual.
 */
export function hasCondition(crd: Pick<Crd, "conditions">, type: string): boolean {
  return crd.conditions.find((condition) => condition.type === type)?.status === "True";
}

/** The Warning header's text that clients of a deprecated version get, or null when it is not deprecated. */
export function deprecationWarning(crd: Pick<Crd, "group" | "kind" | "versions">, version: CrdVersion): string | null {
  return deprecationWarnings(crd)(version);
}

/**
 * The same for many versions, each of which would otherwise be compared with all.
 * Source: apiextensions-apiserver/pkg/apiserver/customresource_handler.go, defaultDeprecationWarning.
 */
export function deprecationWarnings(crd: Pick<Crd, "group" | "kind" | "versions">): (version: CrdVersion) => string | null {
  const best = preferredVersion({ versions: crd.versions.filter(({ deprecated }) => !deprecated) });
  return (version) => {
    if (!version.deprecated) return null;
    if (version.customWarning !== null) return version.customWarning;
    const warning = `${crd.group}/${version.name} ${crd.kind} is deprecated`;
    const isBetter = best !== null && compareVersionPriority(best.name, version.name) < 0;
    return isBetter ? `${warning}; use ${crd.group}/${best.name} ${crd.kind}` : warning;
  };
}
