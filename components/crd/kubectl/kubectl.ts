import type { SessionInfo } from "#lib/contract/session.ts";

/**
 * kubectl as whoever is signed in calls it for the context that a cluster's name stands for, null while that is not known. With a token
 * no context is named: it is one of the server's, and not in the reader's kubeconfig.
 */
export function kubectlFor(session: Pick<SessionInfo, "mode"> | null, context: string): string {
  return session?.mode === "token" || context === "in-cluster" ? "kubectl" : `kubectl --context ${quoted(context)}`;
}

/** A word as a POSIX shell takes it. */
export function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
