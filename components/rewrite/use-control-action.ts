import type { Run } from "#lib/contract/rewrite/run.ts";
import type { GuardedAction } from "#lib/domain/rewrite/needed-rights.ts";
import { useSession } from "#lib/queries/session/session-query.ts";

/** The right that a command to this run needs; undefined for the user who started it, who needs none. */
export function useControlAction({ startedBy }: Pick<Run, "startedBy">): GuardedAction | undefined {
  const user = useSession()?.user ?? null;
  return user === null || user === startedBy ? undefined : "control";
}
