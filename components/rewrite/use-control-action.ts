import type { Run } from "#lib/contract/rewrite/run.ts";
import type { GuardedAction } from "#lib/domain/rewrite/needed-rights.ts";
import { useSession } from "#lib/queries/session/session-query.ts";

/** What telling this run something comes to, by the rights that it takes: none of whoever started it, whom nothing must hold up. */
export function useControlAction({ startedBy }: Pick<Run, "startedBy">): GuardedAction | undefined {
  const user = useSession()?.user ?? null;
  return user === null || user === startedBy ? undefined : "control";
}
