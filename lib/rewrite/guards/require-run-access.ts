import type { Connection } from "#lib/cluster/connection/connection.ts";
import { mayI } from "#lib/cluster/rights/access-review.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { audienceOf } from "#lib/rewrite/run/running.ts";

/**
 * A run works with the credentials of whoever started it. Somebody else may tell it something only where they could write its record
 * themselves: with the right to patch the definition, which is what the cluster would ask of another crdshift.
 * @throws AppError forbidden with the right that is missing.
 */
export async function requireRunAccess(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<void> {
  const audience = audienceOf(runId);
  if (audience === null || audience === connection.audience) return;
  const access = { verb: "patch", group: "apiextensions.k8s.io", resource: "customresourcedefinitions", name: crdName } as const;
  const { allowed, reason } = await mayI(connection, access, signal);
  if (allowed) return;
  throw new AppError("forbidden", "Somebody else started the run, and you may not patch the definition.", {
    clusterMessage: reason || undefined,
    nextStep: `Ask whoever started it, or for the right: kubectl auth can-i patch customresourcedefinitions.apiextensions.k8s.io/${crdName}`,
  });
}
