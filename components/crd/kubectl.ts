import type { SessionInfo } from "#lib/contract/session.ts";

/** kubectl for the context that a cluster's name stands for. */
export function kubectlFor(context: string): string {
  return `kubectl${contextFlag(context)}`;
}

/** The flag, after a space, with which a command of kubectl goes to that context. */
function contextFlag(context: string): string {
  return context === "in-cluster" ? "" : ` --context ${quoted(context)}`;
}

/**
 * contextFlag for whoever is signed in, null while that is not known. With a token there is none: the context is one of the server's, which
 * is not in the reader's kubeconfig.
 */
export function contextFlagFor(session: Pick<SessionInfo, "mode"> | null, context: string): string {
  return session?.mode === "token" ? "" : contextFlag(context);
}

/** A word as a POSIX shell takes it. */
export function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
