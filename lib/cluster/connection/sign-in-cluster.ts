import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readBearerContext } from "./kubeconfig.ts";

/**
 * Identifies the cluster that people sign in to with their own tokens: its address, the proxy that leads there, and the CA that vouches for it,
 * since every cluster's pods reach theirs at the same address. Null if there is none or its CA can't be read.
 */
export function signInCluster(): string | null {
  try {
    const { current, contexts } = readBearerContext("");
    const cluster = contexts.get(current)?.getCurrentCluster();
    if (!cluster) return null;
    const { server, caData, caFile, tlsServerName, skipTLSVerify, proxyUrl } = cluster;
    const ca = caData ?? (caFile ? readFileSync(/* turbopackIgnore: true */ caFile, "base64") : "");
    // Only where it is set: sessions from releases that left it out stay valid without one.
    const proxy = proxyUrl ? [proxyUrl] : [];
    const identity = JSON.stringify([server, ca, tlsServerName ?? "", skipTLSVerify, ...proxy]);
    return createHash("sha256").update(identity).digest("base64url");
  } catch {
    // Connecting reports the problem.
    return null;
  }
}
