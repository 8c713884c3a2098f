import { isDeepStrictEqual } from "node:util";
import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { definitionKey } from "./evidence/per-definition.ts";

/** What takes most of a definition's memory. */
type Parts = Pick<Crd, "versions" | "storedVersions" | "conditions" | "names" | "conversion" | "record" | "removedVersions">;

interface Shared {
  /** By definition. */
  readonly newest: Map<string, WeakRef<Crd["versions"]>>;
  /** Kept for as long as anyone holds the versions. */
  readonly partsOf: WeakMap<Crd["versions"], Parts>;
  readonly letGo: FinalizationRegistry<string>;
}

/**
 * The definition as just read, made of the parts of the last one read wherever they are equal. Everyone reads the definitions with their own
 * rights, and so sees what they may see, but what a hundred people view is kept once.
 */
export function shareParts(cluster: ClusterAddress, crd: Crd): Crd {
  const { newest, partsOf, letGo } = processWide("shared-parts", begin);
  const key = definitionKey(cluster, crd.uid);
  const versionsThen = newest.get(key)?.deref();
  const then = versionsThen && partsOf.get(versionsThen);
  const parts: Parts = {
    versions: kept(then?.versions, crd.versions),
    storedVersions: kept(then?.storedVersions, crd.storedVersions),
    conditions: kept(then?.conditions, crd.conditions),
    names: kept(then?.names, crd.names),
    conversion: kept(then?.conversion, crd.conversion),
    record: kept(then?.record, crd.record),
    removedVersions: kept(then?.removedVersions, crd.removedVersions),
  };
  partsOf.set(parts.versions, parts);
  if (parts.versions !== versionsThen) {
    newest.set(key, new WeakRef(parts.versions));
    letGo.register(parts.versions, key);
  }
  return { ...crd, ...parts };
}

function kept<Part>(then: Part | undefined, now: Part): Part {
  return then !== undefined && isDeepStrictEqual(then, now) ? then : now;
}

function begin(): Shared {
  const newest: Shared["newest"] = new Map();
  const letGo = new FinalizationRegistry<string>((key) => {
    if (newest.get(key)?.deref() === undefined) newest.delete(key);
  });
  return { newest, partsOf: new WeakMap(), letGo };
}
