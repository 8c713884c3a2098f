import type { Connection } from "#lib/cluster/connection.ts";
import { readCrd } from "#lib/cluster/crds.ts";
import { whoAmI } from "#lib/cluster/who-am-i.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import { errorWords } from "#lib/contract/error-words.ts";
import { DEFAULT_SAMPLE_SIZE, type StartPreflight } from "#lib/contract/preflight.ts";
import { storageVersion } from "#lib/domain/crd.ts";
import { type Preflight, preflightRecord } from "#lib/domain/preflight.ts";
import { crdIdentity, identityChange } from "#lib/domain/rewrite.ts";
import { logProblem } from "#lib/log-problem.ts";
import { createGate } from "#lib/rewrite/gate.ts";
import { createPacer } from "#lib/rewrite/pacer.ts";
import { updateRecord } from "#lib/rewrite/update-record.ts";
import { listPreflights } from "./preflights.ts";
import { beginPreflight } from "./run-preflight.ts";

const WRITE_TIMEOUT_MS = 30_000;
const MAX_AT_WORK = 4;

/**
 * Starts a dry run and lets it go on by itself. What it found is written into the definition's annotation, where that is allowed, so
 * that a rewrite is held back by losses that nobody has accepted.
 * @throws AppError precondition_failed when nothing could be rewritten, conflict when dry runs of it are at work already.
 */
export async function startPreflight(
  connection: Connection,
  crdName: string,
  { sampleSize = DEFAULT_SAMPLE_SIZE, signal }: StartPreflight & { signal: AbortSignal },
): Promise<Preflight> {
  const { crd } = await readCrd(connection, crdName, signal);
  const identity = crdIdentity(crd);
  const storage = storageVersion(crd);
  if (!identity || !storage?.served) {
    throw new AppError("precondition_failed", "The storage version is not served, so nothing can be rewritten.", {
      nextStep: "Serve it, or make a served version the storage version.",
    });
  }
  if (listPreflights(connection.audience, crdName).filter(({ phase }) => phase === "running").length >= MAX_AT_WORK) {
    throw new AppError("conflict", `${MAX_AT_WORK} dry runs of ${crdName} are at work.`, { nextStep: "Wait for one, or cancel it." });
  }
  const startedBy = await whoAmI(connection, signal);
  const { known, ended } = beginPreflight({
    ...{ connection, crd, identity, startedBy, sampleSize },
    ...{ gate: createGate(), pacer: createPacer(null), signal: new AbortController().signal },
  });
  known.ended = ended.then((preflight) => remember(connection, crdName, preflight)).catch(logFailure);
  return known.current;
}

async function remember(connection: Connection, crdName: string, preflight: Preflight): Promise<void> {
  if (preflight.phase !== "succeeded") return;
  const signal = AbortSignal.timeout(WRITE_TIMEOUT_MS);
  await updateRecord(
    connection,
    crdName,
    (now, record) => (identityChange(now, preflight) ? record : { ...record, preflight: preflightRecord(preflight) }),
    signal,
  );
}

// Whoever may not write the annotation still has the page of the dry run.
function logFailure(error: unknown): void {
  const message = isAppError(error) ? errorWords(error) : String(error);
  logProblem("warn", { message: `A dry run could not be recorded. ${message}` });
}
