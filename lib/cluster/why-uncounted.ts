import { errorMessage } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/crd.ts";
import { unservedBecause } from "#lib/domain/unserved-because.ts";
import { clusterAnswer } from "./errors.ts";

/** Why there is no count of a definition's objects: they may not be listed, listing them failed, or there is nothing to list. */
export interface Uncounted {
  basis: "denied" | "failed" | "unknown";
  message: string;
}

export const NO_VERSION_SERVED: Uncounted = { basis: "unknown", message: "No version is served, so nothing can be listed." };

/** What a failed list of a definition's objects says of their number. */
export function whyUncounted(crd: Crd, error: unknown): Uncounted {
  const answer = clusterAnswer(error);
  const because = answer?.status === 404 ? unservedBecause(crd) : null;
  if (because) return { basis: "unknown", message: `Not served: ${because}; its conditions say why` };
  return { basis: answer?.status === 403 ? "denied" : "failed", message: answer?.message || errorMessage(error) };
}
