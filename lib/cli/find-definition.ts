import { listCrdNames } from "#lib/cluster/definitions/list-crd-names.ts";
import type { ClusterInvocation } from "./arguments/parse-arguments.ts";
import { chooseDefinition } from "./choose-definition.ts";
import type { Session } from "./session.ts";

/** The full name of the definition on the command line. Throws AppError not_found, or invalid_input with the candidates. */
export async function findDefinition({ definition }: ClusterInvocation, { connection, stop, program }: Session): Promise<string> {
  return chooseDefinition(await listCrdNames(connection, stop.signal), definition, { cluster: connection.name, program });
}
