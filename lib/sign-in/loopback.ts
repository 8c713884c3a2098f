import { isIPv4 } from "node:net";

/** Whether a host's name, as in a URL or in HOST, can only be this machine: no DNS answer points it elsewhere. */
export function isLoopback(name: string): boolean {
  const host = name.toLowerCase();
  return (
    host === "localhost" || host.endsWith(".localhost") || host === "::1" || host === "[::1]" || (isIPv4(host) && host.startsWith("127."))
  );
}
