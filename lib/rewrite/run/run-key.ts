import type { Run } from "#lib/domain/rewrite/run.ts";

/** What this process knows a run by. Its id alone could name two: whoever may patch another definition can write it into a run there. */
export type RunKey = Pick<Run, "crd" | "id">;

/** The key as text, for maps. */
export function runKeyText({ crd, id }: RunKey): string {
  return `${id} ${crd}`;
}
