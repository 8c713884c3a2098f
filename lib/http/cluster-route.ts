import { type Connection, connect } from "#lib/cluster/connection/connection.ts";
import { signedInRoute } from "./signed-in-route.ts";

/** What is asked of one cluster, and the way to it. */
export interface AskedOfCluster<Names extends string> {
  request: Request;
  params: Record<Names | "cluster", string>;
  connection: Connection;
}

/** signedInRoute for what is asked of one cluster: `run` gets the connection with the credentials of whoever asks, and no other way to it. */
export function clusterRoute<Names extends string>(run: (asked: AskedOfCluster<Names>) => Promise<Response>) {
  return signedInRoute<Names | "cluster">(async ({ request, params, credentials }) =>
    run({ request, params, connection: await connect(params.cluster, credentials) }),
  );
}
