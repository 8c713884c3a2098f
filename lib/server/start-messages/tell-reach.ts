import { isLoopback } from "#lib/sign-in/mode.ts";

/** Where the server listens, and the names it answers to besides loopback. */
export interface Reach {
  /** As reported by the system; 0.0.0.0 and :: mean all addresses. */
  address: string;
  /** HOST if requests may name it, otherwise empty. */
  listeningHost: string;
  origins: readonly string[];
  inPod: boolean;
}

/** How to reach the server, if not only from this machine; otherwise empty. */
export function tellReach({ address, listeningHost, origins, inPod }: Reach): string {
  const isEverywhere = ["0.0.0.0", "::"].includes(address);
  if (isLoopback(address) && origins.length === 0) return "";
  const own = isEverywhere || isLoopback(address) || !listeningHost ? [] : [listeningHost];
  const names = ["localhost", ...own, ...origins];
  const told = `It listens on ${isEverywhere ? "all addresses" : address} and answers only to these names: ${names.join(", ")}.`;
  if (names.length > 1) return told;
  const tunnel = inPod ? "kubectl port-forward" : "a tunnel to this port, such as ssh -L";
  return `${told}\nFrom elsewhere, use ${tunnel}, or add its https address to CRDSHIFT_ORIGINS.`;
}
