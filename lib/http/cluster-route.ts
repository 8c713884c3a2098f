import { type Connection, connect } from "#lib/cluster/connection/connection.ts";
import { signedInRoute } from "./signed-in-route.ts";

/** A request about one cluster, with the connection to it. */
export interface AskedOfCluster<Names extends string> {
  request: Request;
  params: Record<Names | "cluster", string>;
  connection: Connection;
}

/** signedInRoute for requests about one cluster: `run` can reach it only through the connection with the user's credentials. */
export function clusterRoute<Names extends string>(run: (asked: AskedOfCluster<Names>) => Promise<Response>) {
  return signedInRoute<Names | "cluster">(async ({ request, params, credentials }) =>
    run({ request, params, connection: await connect(params.cluster, credentials) }),
  );
}
