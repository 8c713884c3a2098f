import type { Connection } from "#lib/cluster/connection/connection.ts";
import { AppError } from "#lib/contract/app-error.ts";

/** The error for a definition that the cluster doesn't have. */
export function noSuchDefinition(connection: Connection, crdName: string, cause?: unknown): AppError {
  return new AppError("not_found", `There is no definition ${crdName} in ${connection.name}.`, {
    nextStep: "It may have been deleted. Check the list of definitions.",
    cause,
  });
}
