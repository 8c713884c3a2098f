import { type ExactJson, ExactNumber, exactProperty } from "#lib/domain/exact-json/exact-json.ts";

/**
 * Compares two resourceVersions of one resource: negative when `a` is older. They compare as integers written without a
 * leading zero, so the longer one is newer. Source: kubernetes.io "Kubernetes API Concepts", Resource versions.
 */
export function compareResourceVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A cluster writes less than that, in resourceVersions a second, however busy it is. */
const MOST_WRITES_A_SECOND = 10_000;
/** As much at once is nothing to wonder about. `etcdutl snapshot restore --bump-revision` is meant to get 1,000,000,000. */
const SLACK = 100_000_000n;
/** A longer one is no count of writes: where no etcd stores, as on GKE, it is a time in nanoseconds. */
const LONGEST_COUNT = 15;

/**
 * Whether a cluster that is at `now` must have had its etcd restored since it was at `resourceVersion`, at the time `at`, in ms since the epoch:
 * it is behind that, or further ahead than its writes can bring it. Source: etcd.io, "Disaster recovery", Restoring with revision bump.
 */
export function mustBeRestored(now: string, known: { resourceVersion: string; at: number }): boolean {
  if (compareResourceVersions(now, known.resourceVersion) < 0) return true;
  if (known.resourceVersion.length > LONGEST_COUNT) return false;
  const seconds = Math.max(0, Math.ceil((Date.now() - known.at) / 1_000));
  return BigInt(now) - BigInt(known.resourceVersion) > SLACK + BigInt(seconds * MOST_WRITES_A_SECOND);
}

/** Whether an object was written after a settle point, and so at the storage version; false without a settle point. */
export function isAboveSettlePoint(resourceVersion: string, settleResourceVersion: string | null): boolean {
  return settleResourceVersion !== null && compareResourceVersions(resourceVersion, settleResourceVersion) > 0;
}

/** metadata.resourceVersion of an object. Throws Error when missing; the API server always sets it. */
export function resourceVersionOf(object: ExactJson): string {
  const resourceVersion = exactProperty(exactProperty(object, "metadata"), "resourceVersion");
  if (typeof resourceVersion !== "string") throw new Error("An object has no resourceVersion.");
  return resourceVersion;
}

/** metadata.generation as a number; null when there is none. */
export function generationOf(object: ExactJson): number | null {
  const generation = exactProperty(exactProperty(object, "metadata"), "generation");
  return generation instanceof ExactNumber ? Number(generation.text) : null;
}
