"use client";

import { useQuery } from "@tanstack/react-query";
import { localTimes } from "#lib/domain/wording/local-time.ts";
import { withKubectl } from "#lib/domain/wording/with-kubectl.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";
import { sessionQuery } from "#lib/queries/session/session-query.ts";
import { useDefinitionScope } from "./breadcrumbs.tsx";
import { kubectlFor } from "./kubectl.tsx";

/**
 * Puts the server's sentences for this reader: times, which are UTC, in the browser's time zone, and kubectl commands for the page's cluster.
 * Not for the cluster's own words.
 */
export function useTold(): (text: string) => string {
  const scope = useDefinitionScope();
  // Elsewhere nobody need be signed in, and no sentence has a command.
  const { data: session = null } = useQuery({ ...sessionQuery(), enabled: scope !== null });
  return (text) => {
    const told = localTimes(text, serverNow());
    return scope ? withKubectl(told, kubectlFor(session, scope.cluster)) : told;
  };
}
