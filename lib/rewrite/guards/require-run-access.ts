import type { Connection } from "#lib/cluster/connection/connection.ts";
import { mayI } from "#lib/cluster/rights/read-rights.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { audienceOf } from "#lib/rewrite/run/running.ts";

/**
 * A run uses the credentials of the person who started it. Others may control it only if they could write its record themselves: with
 * the right to patch the definition, which the cluster would require of another crdshift too.
 * @throws AppError forbidden with the missing right.
 */
export async function requireRunAccess(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<void> {
  const audience = audienceOf(runId);
  if (audience === null || audience === connection.audience) return;
  const access = { verb: "patch", group: "apiextensions.k8s.io", resource: "customresourcedefinitions", name: crdName } as const;
  const { allowed, reason } = await mayI(connection, access, signal);
  if (allowed) return;
  throw new AppError("forbidden", "Someone else started this run, and you can't patch the definition.", {
    clusterMessage: reason || undefined,
    nextStep: `Ask the person who started it, or ask for the permission; check with: kubectl auth can-i patch customresourcedefinitions.apiextensions.k8s.io/${crdName}`,
  });
}
