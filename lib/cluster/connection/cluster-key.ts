import type { Connection } from "./connection.ts";

/** Two clusters may have the same address behind two proxies, or behind one that tells them apart by the TLS server name. */
export type ClusterAddress = Pick<Connection, "server" | "proxy" | "tlsServerName">;

/** What this process knows a cluster by. Two contexts may lead to one cluster. */
export function clusterKey({ server, proxy, tlsServerName }: ClusterAddress): string {
  return `${server}${proxy ? ` by ${proxy}` : ""}${tlsServerName ? ` as ${tlsServerName}` : ""}`;
}

export type ContextAddress = ClusterAddress & Pick<Connection, "name">;

/** For where taking two clusters for one costs more than one for two: at one address, the credentials may choose the cluster. */
export function contextKey(context: ContextAddress): string {
  return `${context.name} ${clusterKey(context)}`;
}
