"use client";

import { localTimes } from "#lib/domain/wording/local-time.ts";
import { withKubectl } from "#lib/domain/wording/with-kubectl.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";
import { useKubectl } from "./kubectl-scope.tsx";

/**
 * Puts the server's own sentences for this reader: times, which are UTC, in the browser's time zone, and commands as useCommands. Not for
 * sentences that quote the cluster, whose times must stay as they are.
 */
export function useTold(): (text: string) => string {
  const withCommands = useCommands();
  return (text) => withCommands(localTimes(text, serverNow()));
}

/** Puts the kubectl commands in a sentence for the page's cluster. */
export function useCommands(): (text: string) => string {
  const kubectl = useKubectl();
  return (text) => withKubectl(text, kubectl);
}
