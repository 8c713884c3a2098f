import type { SessionInfo } from "#lib/contract/session.ts";

/**
 * The kubectl call for a cluster's context. `session` is null until known. A token session gets no --context: the context is in the
 * server's kubeconfig, not in the reader's.
 */
export function kubectlFor(session: Pick<SessionInfo, "mode"> | null, context: string): string {
  return session?.mode === "token" || context === "in-cluster" ? "kubectl" : `kubectl --context ${quoted(context)}`;
}

/** A word quoted for a POSIX shell. */
export function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
