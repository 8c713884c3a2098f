import { createHash } from "node:crypto";
import { type Admission, type AdmissionRequest, readPolicies, readWebhooks } from "./admission.ts";

/** The webhooks and policies that may change a definition's objects when they are updated, as they are being read. */
export interface MutatingRead {
  webhooks: Promise<Admission[]>;
  policies: Promise<Admission[]>;
}

/** Begins to read them, each as `ask` sends it. Both are to be awaited. */
export function readMutating(request: AdmissionRequest, ask = (send: () => Promise<Admission[]>) => send()): MutatingRead {
  return {
    webhooks: ask(() => readWebhooks({ ...request, role: "mutating" })),
    policies: ask(() => readPolicies({ ...request, role: "mutating" })),
  };
}

const ASKS_FOR_DRY_RUN = "asks-for-dry-run ";

/** Whether dry runs don't show what mutates, by what mutatingAdmission has told. */
export function hidesFromDryRuns(told: string | null): boolean {
  return told?.startsWith(ASKS_FOR_DRY_RUN) ?? false;
}

/**
 * What may change a definition's objects in admission when they are updated, as a short text that is another one once a webhook or policy
 * is added, edited or removed. Empty if nothing may; null if it can't be read, which equals nothing, not even another null. Throws the
 * signal's reason.
 */
export async function mutatingAdmission({ webhooks, policies }: MutatingRead, signal: AbortSignal): Promise<string | null> {
  try {
    const mutating = (await Promise.all([webhooks, policies])).flat();
    if (mutating.length === 0) return "";
    const revisions = mutating.map(({ kind, name, revision }) => JSON.stringify([kind, name, revision])).toSorted();
    const hash = createHash("sha256").update(revisions.join()).digest("base64url");
    return mutating.some(({ asksForDryRun }) => asksForDryRun) ? `${ASKS_FOR_DRY_RUN}${hash}` : hash;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}
