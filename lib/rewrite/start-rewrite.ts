import { randomUUID } from "node:crypto";
import type { Connection } from "#lib/cluster/connection.ts";
import { whoAmI } from "#lib/cluster/who-am-i.ts";
import type { StartRewrite } from "#lib/contract/run.ts";
import { type Crd, storageVersion } from "#lib/domain/crd.ts";
import { rewriteRefusal } from "#lib/domain/refusals.ts";
import { type RewriteRecord, type Run, readableRecord } from "#lib/domain/rewrite.ts";
import { refuse } from "./refuse.ts";
import { runRewrite } from "./run-rewrite.ts";
import { holderName, keepRunning } from "./running.ts";
import { updateRecord } from "./update-record.ts";

/** Runs that an annotation remembers. */
const MAX_RUNS = 5;

/**
 * Starts a rewrite and lets it go on by itself. Starting is a compare-and-set on the definition, so of two starts one is refused.
 * @throws AppError conflict with the run in the way, precondition_failed when nothing can be rewritten.
 */
export async function startRewrite(
  connection: Connection,
  crdName: string,
  options: StartRewrite & { settleSeconds: number; signal: AbortSignal },
): Promise<Run> {
  const startedBy = await whoAmI(connection, options.signal);
  return beginRun(connection, crdName, options, (crd, record, now) => {
    const refusal = rewriteRefusal(crd, now);
    if (refusal) throw refuse(refusal);
    const storage = storageVersion(crd);
    if (!storage) throw new Error("A definition without a storage version is refused above.");
    const run = newRun({ crd: crdName, startedBy, storageVersion: storage.name, verify: options.verify ?? "settle-point" });
    return { ...record, runs: [run, ...record.runs].slice(0, MAX_RUNS) };
  });
}

/** Writes the record that `begin` makes, with this process as the holder, and runs its newest run. */
export async function beginRun(
  connection: Connection,
  crdName: string,
  { settleSeconds, signal }: { settleSeconds: number; signal: AbortSignal },
  begin: (crd: Crd, record: RewriteRecord, now: number) => RewriteRecord,
): Promise<Run> {
  const crd = await updateRecord(
    connection,
    crdName,
    (now, record, serverTime) => {
      const seen = record.generationSeen?.generation === now.generation ? record.generationSeen : null;
      const generationSeen = seen ?? { generation: now.generation, at: new Date(serverTime).toISOString() };
      return { ...begin(now, record, Date.now()), holder: holderName(), generationSeen };
    },
    signal,
  );
  const run = readableRecord(crd)?.runs[0];
  if (!run) throw new Error(`The API server did not keep the annotation of ${crdName}.`);
  keepRunning(run.id, (stop) => runRewrite({ connection, crd, run, settleSeconds }, stop));
  return run;
}

function newRun(of: Pick<Run, "crd" | "startedBy" | "storageVersion" | "verify">): Run {
  const now = new Date().toISOString();
  return {
    ...of,
    id: randomUUID(),
    engine: "crdshift",
    phase: "settling",
    startedAt: now,
    renewedAt: now,
    settledAt: null,
    endedAt: null,
    settleResourceVersion: null,
    settlesAt: null,
    counts: { total: null, rewritten: 0, alreadyCurrent: 0, gone: 0, rejected: 0, remaining: null },
    ratePerSecond: null,
    etaSeconds: null,
    pausedBecause: null,
    rejections: [],
  };
}
