import type { CrdSummary } from "#lib/contract/definition/crd.ts";
import type { CrdStateName } from "#lib/domain/definition/crd-state.ts";

export interface FleetFilter {
  text: string;
  /** Empty means every state. */
  states: readonly CrdStateName[];
  group: string | null;
}

/** The definitions that match the filter, in their original order. */
export function filterFleet(crds: readonly CrdSummary[], filter: FleetFilter): CrdSummary[] {
  const error = recognizeApiError(filter.text);
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return crds.filter(
    (crd) =>
      (filter.states.length === 0 || filter.states.includes(crd.state)) &&
      (filter.group === null || crd.group === filter.group) &&
      (error ? isMeant(crd, error) : words.every((word) => hasWord(crd, word))),
  );
}

function isMeant(crd: CrdSummary, error: RecognizedError): boolean {
  if (error.crd !== null) return crd.name === error.crd;
  return error.versions.some((version) => crd.leftoverVersions.includes(version));
}

function hasWord(crd: CrdSummary, word: string): boolean {
  return crd.name.toLowerCase().includes(word) || crd.kind.toLowerCase().includes(word);
}

/** What a pasted API server error is about. */
export interface RecognizedError {
  /** The definition that the error names; null if the pasted text has none. */
  crd: string | null;
  /** The versions that must stay because status.storedVersions lists them. */
  versions: string[];
}

/**
 * Parses the API server's error for removing a version that is still stored. The older text ends in "must appear in spec.versions",
 * the newer in "missing from spec.versions; …". Returns null for other text.
 */
export function recognizeApiError(text: string): RecognizedError | null {
  const versions = [...text.matchAll(/status\.storedVersions\[\d+\]: Invalid value: \\?"?([^\s"\\:]+)\\?"?:/g)].map(
    ([, version]) => version ?? "",
  );
  const crd = /CustomResourceDefinition(?:\.apiextensions\.k8s\.io)? \\?"([^"\\]+)\\?" is invalid/.exec(text)?.[1] ?? null;
  if (versions.length === 0 && crd === null) return null;
  return { crd, versions: [...new Set(versions)] };
}
