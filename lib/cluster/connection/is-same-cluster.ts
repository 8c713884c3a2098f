import { isDeepStrictEqual } from "node:util";
import type { Cluster } from "@kubernetes/client-node";
import type { SignIn } from "./sign-in-to.ts";

/** Where a context leads, and what vouches for the cluster there. */
export interface Destination {
  cluster: Cluster;
  tls: SignIn["tls"];
}

/**
 * Whether the credentials for one may be sent to the other: they have the same address, and an authority in common. Clusters that are made one
 * after the other, such as those on one's own computer, often have the same address.
 */
export function isSameCluster(one: Destination, other: Destination): boolean {
  const isVerified = ({ tls }: Destination) => tls.rejectUnauthorized ?? true;
  if (!hasSameAddress(one.cluster, other.cluster) || isVerified(one) !== isVerified(other)) return false;
  return sharesAuthority(authoritiesOf(one), authoritiesOf(other));
}

/** As clusterKey, of what a kubeconfig says. */
export function hasSameAddress(one: Cluster, other: Cluster): boolean {
  const address = ({ server, proxyUrl, tlsServerName }: Cluster) => [server.replace(/\/+$/, ""), proxyUrl || "", tlsServerName || ""];
  return isDeepStrictEqual(address(one), address(other));
}

// While a cluster changes its authority, its kubeconfig has both.
function sharesAuthority(some: string[], others: string[]): boolean {
  return (some.length === 0 && others.length === 0) || some.some((authority) => others.includes(authority));
}

function authoritiesOf({ tls: { ca } }: Destination): string[] {
  const text = [ca ?? []].flat().join("\n").replaceAll("\r", "");
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? (text.trim() ? [text] : []);
}
