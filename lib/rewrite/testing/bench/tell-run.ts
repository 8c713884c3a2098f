import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { changeRewrite } from "#lib/rewrite/commands/change-rewrite.ts";
import { pauseRewrite } from "#lib/rewrite/commands/pause-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { soon } from "./open-test-bench.ts";

/** Shorthands for controlling a run. */
export function tellRun(connection: Connection) {
  return {
    pause: ({ crd, id }: Run) => pauseRewrite(connection, crd, id, soon()),
    resume: ({ crd, id }: Run) => resumeRewrite(connection, crd, id, { settleSeconds: 0, signal: soon() }),
    change: ({ crd, id }: Run, maxPerSecond: number | null) => changeRewrite(connection, crd, id, { maxPerSecond, signal: soon() }),
    cancel: ({ crd, id }: Run) => cancelRewrite(connection, crd, id, soon()),
  };
}
