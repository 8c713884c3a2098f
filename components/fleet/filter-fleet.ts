import type { CrdSummary } from "#lib/contract/crd.ts";
import type { CrdStateName } from "#lib/domain/crd-state.ts";
import { type RecognisedError, recogniseApiError } from "./recognise-api-error.ts";

export interface FleetFilter {
  text: string;
  /** Empty: every state. */
  states: readonly CrdStateName[];
  group: string | null;
}

/** The definitions that a filter leaves, in the order that they came in. */
export function filterFleet(crds: readonly CrdSummary[], filter: FleetFilter): CrdSummary[] {
  const error = recogniseApiError(filter.text);
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return crds.filter(
    (crd) =>
      (filter.states.length === 0 || filter.states.includes(crd.state)) &&
      (filter.group === null || crd.group === filter.group) &&
      (error ? isMeant(crd, error) : words.every((word) => hasWord(crd, word))),
  );
}

function isMeant(crd: CrdSummary, error: RecognisedError): boolean {
  if (error.crd !== null) return crd.name === error.crd;
  return error.versions.some((version) => crd.leftoverVersions.includes(version));
}

function hasWord(crd: CrdSummary, word: string): boolean {
  return crd.name.toLowerCase().includes(word) || crd.kind.toLowerCase().includes(word);
}
