/** What the chart calls the Service and its port, in the namespace that deploy/README.md takes. */
const SERVICE = "--namespace crdshift port-forward service/crdshift";
const SERVICE_PORT = 3_000;

/** The command that brings this page's address back; null for one that leads here without a port-forward: through an ingress. */
export function portForward({ protocol, hostname, port }: Pick<Location, "protocol" | "hostname" | "port">): string | null {
  const isLoopback = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol !== "http:" || !isLoopback) return null;
  return `kubectl ${SERVICE} ${port || 80}:${SERVICE_PORT}`;
}
