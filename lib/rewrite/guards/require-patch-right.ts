import type { Connection } from "#lib/cluster/connection/connection.ts";
import { mayI } from "#lib/cluster/rights/read-rights.ts";
import { AppError } from "#lib/contract/app-error.ts";

/**
 * Asks the cluster whether the user may patch the definition, before anything else is done for them.
 * @throws AppError forbidden with these words and the command that checks the right.
 */
export async function requirePatchRight(
  connection: Connection,
  crdName: string,
  { message, ask }: { message: string; ask: string },
  signal: AbortSignal,
): Promise<void> {
  const right = { verb: "patch", group: "apiextensions.k8s.io", resource: "customresourcedefinitions", name: crdName } as const;
  const { allowed, reason } = await mayI(connection, right, signal);
  if (allowed) return;
  throw new AppError("forbidden", message, {
    clusterMessage: reason || undefined,
    nextStep: `${ask}; check with: kubectl auth can-i patch customresourcedefinitions.apiextensions.k8s.io/${crdName}`,
  });
}
