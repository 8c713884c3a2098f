import type { Connection } from "./connection.ts";

/** Two clusters may have the same address behind two proxies, and two contexts may lead to one cluster. */
export type ClusterAddress = Pick<Connection, "server" | "proxy">;

/** What this process knows a cluster by. */
export function clusterKey({ server, proxy }: ClusterAddress): string {
  return proxy === undefined ? server : `${server} by ${proxy}`;
}
