import type { Connection } from "#lib/cluster/connection.ts";
import type { Run } from "#lib/domain/rewrite.ts";
import { endSentence, isEnd } from "#lib/domain/run-sentences.ts";
import { recordAction } from "./record-action.ts";

/** Tells how a run ended, once the annotation says it. */
export function recordEnd(connection: Connection, run: Run): void {
  const { phase } = run;
  if (!isEnd(phase)) return;
  const at = run.endedAt ?? run.renewedAt;
  recordAction(connection, run.crd, { kind: phase, at, run: run.id, message: endSentence({ ...run, phase }) });
}
