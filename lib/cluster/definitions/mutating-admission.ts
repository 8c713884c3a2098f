import { createHash } from "node:crypto";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type Admission, readPolicies, readWebhooks } from "./admission.ts";

/** What the API server calls for updates to a definition's objects, as it is being read. */
export interface AdmissionRead {
  webhooks: Promise<Admission[]>;
  policies: Promise<Admission[]>;
}

/** Begins to read it. Both are to be awaited. */
export function readAdmission(connection: Connection, crd: Crd, version: string, signal: AbortSignal): AdmissionRead {
  return { webhooks: readWebhooks(connection, crd, version, signal), policies: readPolicies(connection, crd, version, signal) };
}

/**
 * What may change a definition's objects in admission when they are updated, as a short text that is another one once a webhook or policy
 * is added, edited or removed. Empty if nothing may; null if it can't be read. Throws the signal's reason.
 */
export async function mutatingAdmission({ webhooks, policies }: AdmissionRead, signal: AbortSignal): Promise<string | null> {
  try {
    const all = (await Promise.all([webhooks, policies])).flat();
    const mutating = all.filter(({ kind }) => kind === "mutating webhook" || kind === "mutating policy");
    if (mutating.length === 0) return "";
    const revisions = mutating.map(({ kind, name, revision }) => JSON.stringify([kind, name, revision])).toSorted();
    return createHash("sha256").update(revisions.join()).digest("base64url");
  } catch {
    signal.throwIfAborted();
    return null;
  }
}
