import { connect } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { isUnconfirmed } from "#lib/contract/app-error.ts";
import { CONFIRM_HEADER, REASON_HEADER } from "#lib/contract/protection.ts";
import { type Justification, justifyChange } from "#lib/rewrite/guards/justify-change.ts";
import { keepConfirmed } from "#lib/sign-in/confirm-token.ts";
import { type LargeAnswer, type RequestOwner, signedInRoute } from "./signed-in-route.ts";

/** A request about one cluster, with the connection to it. */
export interface AskedOfCluster<Names extends string> {
  request: Request;
  params: Record<Names | "cluster", string>;
  connection: Connection;
  owner: RequestOwner;
}

/** signedInRoute for requests about one cluster: `run` can reach it only through the connection with the user's credentials. */
export function clusterRoute<Names extends string>(
  run: (asked: AskedOfCluster<Names>) => Promise<Response | LargeAnswer>,
  options?: { urgent: boolean },
) {
  return signedInRoute<Names | "cluster">(async ({ credentials, ...asked }) => {
    const connection = await connect(asked.params.cluster, credentials);
    // The one that was confirmed may have made room while the request waited for its turn.
    keepConfirmed(connection);
    return run({ ...asked, connection });
  }, options);
}

/** A request that changes a definition or its objects, with the reason if the definition is protected. */
export interface AskedChange<Names extends string> extends AskedOfCluster<Names> {
  reason: string | null;
}

/** clusterRoute for changes to a definition or its objects; protected ones need the name and a reason. Not for stopping a change. */
export function changeRoute<Names extends string>(run: (asked: AskedChange<Names | "crd">) => Promise<Response>) {
  return clusterRoute<Names | "crd">((asked) => justified(asked, (reason) => run({ ...asked, reason })));
}

/** Makes a change with its reason, which is recorded if the change was made, or may have been. Throws AppError precondition_failed. */
export async function justified(asked: AskedOfCluster<"crd">, change: (reason: string | null) => Promise<Response>): Promise<Response> {
  const { reason, tell } = await requireReason(asked);
  try {
    const response = await change(reason);
    tell();
    return response;
  } catch (error) {
    if (isUnconfirmed(error)) tell();
    throw error;
  }
}

/** The same check, for routes where the path alone doesn't say whether they change anything. Throws AppError precondition_failed. */
export function requireReason({ request, params, connection }: AskedOfCluster<"crd">): Promise<Justification> {
  const { headers, signal } = request;
  return justifyChange(connection, params.crd, { confirm: headers.get(CONFIRM_HEADER), reason: headers.get(REASON_HEADER), signal });
}
