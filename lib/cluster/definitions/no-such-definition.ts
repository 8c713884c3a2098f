import type { Connection } from "#lib/cluster/connection/connection.ts";
import { AppError } from "#lib/contract/app-error.ts";

/** That a cluster has no definition of this name. */
export function noSuchDefinition(connection: Connection, crdName: string, cause?: unknown): AppError {
  return new AppError("not_found", `There is no definition ${crdName} in ${connection.name}.`, {
    nextStep: "It may have been deleted; look at the list.",
    cause,
  });
}
