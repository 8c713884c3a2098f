import { signsForOthers } from "#lib/cluster/definitions/evidence/own-key.ts";

/** Two steps of which the second relies on what the first has recorded, with what to set if only this process believes that. */
export function underOneKey(steps: string): string {
  return signsForOthers() ? steps : `${steps} If those are two commands, set CRDSHIFT_SESSION_KEYS for both.`;
}
