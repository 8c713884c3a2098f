import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { oneLine, printable } from "#lib/cluster/transport/printable.ts";
import { errorMessage, isAppError } from "#lib/contract/app-error.ts";
import { shellQuoted } from "#lib/domain/wording/shell-quoted.ts";
import { isLoopback } from "#lib/sign-in/mode.ts";
import { onNewSignInLink, signInLink } from "#lib/sign-in/sign-in.ts";

/** Enough time for the browser to read the page. */
const OPENED_WITHIN_MS = 30_000;

/** Prints the sign-in link, and a new one each time one is used; opens the first if `open` is set. */
export async function tellSignInLink({ open }: { open: boolean }): Promise<void> {
  const link = signInLink();
  onNewSignInLink((next) => console.log(`The link was used. To sign in another browser: ${next}`));
  console.log(`Sign in (works once): ${link}`);
  if (open) await openInBrowser(link);
}

// Uses a file that only this user can read, since every user of the machine sees process arguments.
async function openInBrowser(link: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "crdshift-sign-in-"));
  const file = join(directory, "open.html");
  await writeFile(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${link}"><a href="${link}">crdshift</a>`, {
    mode: 0o600,
  });
  const command = process.platform === "darwin" ? "open" : process.platform === "win32" ? "explorer" : "xdg-open";
  // Without a browser, there is still the printed link.
  execFile(command, [pathToFileURL(file).href], () => {});
  setTimeout(() => void rm(directory, { recursive: true, force: true }), OPENED_WITHIN_MS).unref();
}

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

/** The kubectl command for the demo's cluster, whose context isn't in a kubeconfig that kubectl finds by itself. */
export function kubectlHint({ kubeconfig, context }: { kubeconfig: string; context: string }): string {
  return `kubectl --kubeconfig ${shellQuoted(kubeconfig)} --context ${shellQuoted(context)} get crds`;
}

/** An error for the terminal: what happened, the cluster's words on a line of their own, and what to do. */
export function explain(error: unknown): string {
  if (!isAppError(error)) return printable(errorMessage(error));
  const { message, clusterMessage = "", nextStep = "" } = error;
  return [printable(message), oneLine(clusterMessage), printable(nextStep)].filter(Boolean).join("\n");
}
