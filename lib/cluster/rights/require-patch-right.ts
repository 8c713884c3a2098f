import type { Connection } from "#lib/cluster/connection/connection.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { shellQuoted } from "#lib/domain/wording/shell-quoted.ts";
import { mayI } from "./read-rights.ts";

/**
 * Asks the cluster whether the user may patch the definition, before anything else is done for them.
 * @throws AppError forbidden with these words and the command that checks the right.
 */
export async function requirePatchRight(
  connection: Connection,
  crdName: string,
  { message, ask = "Ask for the permission" }: { message: string; ask?: string },
  signal: AbortSignal,
): Promise<void> {
  const { allowed, reason } = await mayPatch(connection, crdName, signal);
  if (allowed) return;
  throw new AppError("forbidden", message, {
    clusterMessage: reason || undefined,
    nextStep: `${ask}; check with: kubectl auth can-i patch ${shellQuoted(`customresourcedefinitions.apiextensions.k8s.io/${crdName}`)}`,
  });
}

/** Whether the user may patch the definition, as the cluster says. Throws AppError if the cluster can't be asked. */
export function mayPatch(connection: Connection, crdName: string, signal: AbortSignal): ReturnType<typeof mayI> {
  const right = { verb: "patch", group: "apiextensions.k8s.io", resource: "customresourcedefinitions", name: crdName } as const;
  return mayI(connection, right, signal);
}
