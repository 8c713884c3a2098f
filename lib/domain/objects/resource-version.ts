import { type ExactJson, ExactNumber, exactProperty } from "#lib/domain/exact-json/exact-json.ts";

/**
 * Compares two resourceVersions of one resource: negative when `a` is older. They compare as integers written without a
 * leading zero, so the longer one is newer. Source: kubernetes.io "Kubernetes API Concepts", Resource versions.
 */
export function compareResourceVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
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
