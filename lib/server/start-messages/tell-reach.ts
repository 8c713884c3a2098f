import { isLoopback } from "#lib/sign-in/mode.ts";

/** Where the server listens, and the names under which it answers beside those of loopback. */
export interface Reach {
  /** As the system says it: 0.0.0.0 and :: for every address that there is. */
  address: string;
  /** HOST where requests may name it, else empty. */
  listeningHost: string;
  origins: readonly string[];
  inPod: boolean;
}

/** What to say of how it is reached, where that is not only from this machine; empty where it is. */
export function tellReach({ address, listeningHost, origins, inPod }: Reach): string {
  const isEverywhere = ["0.0.0.0", "::"].includes(address);
  if (isLoopback(address) && origins.length === 0) return "";
  const own = isEverywhere || isLoopback(address) || !listeningHost ? [] : [listeningHost];
  const names = ["localhost", ...own, ...origins];
  const told = `It listens on ${isEverywhere ? "all addresses" : address}, and answers to no other name than ${names.join(", ")}.`;
  if (names.length > 1) return told;
  const tunnel = inPod ? "kubectl port-forward" : "a tunnel to this port, such as ssh -L";
  return `${told}\nFrom elsewhere reach it by ${tunnel}, or name its https address in CRDSHIFT_ORIGINS.`;
}
