import { setTimeout } from "node:timers/promises";
import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readExactCrd } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { inWordsIfTimedOut } from "#lib/cluster/transport/errors.ts";
import { isRefusedBeforeStored } from "#lib/cluster/transport/refused-writes.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";

/** Not the signal of whoever asked: they may be gone. */
const LOOK_WITHIN_MS = 8_000;
const LOOK_AGAIN_MS = 500;
/** A write whose connection is gone may still be under way. */
const LAST_LOOK_AFTER_MS = 1_000;

/** Whether a definition shows a write; null if it can't show that any more. */
type IsWritten = (now: Crd, exact: ExactJson) => boolean | null;

/**
 * The definition, if a write of it succeeded although its answer is missing. Waits at most eight seconds for a look at it, and looks again
 * if it shows nothing.
 * @throws the write's error if that has an answer, or nothing was written; otherwise an AppError that the write may have succeeded.
 */
export async function writtenUnanswered(
  connection: Connection,
  { name, uid }: Pick<Crd, "name" | "uid">,
  error: unknown,
  isWritten: IsWritten,
): Promise<Crd> {
  if (!lacksAnswer(error)) throw error;
  const note = fleetOf(connection).beginRead();
  let seen = await look(connection, { name, uid }, isWritten);
  if (seen === "not written") {
    await setTimeout(LAST_LOOK_AFTER_MS);
    seen = await look(connection, { name, uid }, isWritten);
  }
  if (seen === "not written") throw inWordsIfTimedOut(error, connection);
  if (seen === "unknown") throw unconfirmed(error);
  note(seen);
  return seen;
}

/** Whether a write that threw may have succeeded: an abort or an answer that can't be read says as little as none. */
export function lacksAnswer(error: unknown): boolean {
  const answer = clusterAnswer(error);
  if (answer) return !isRefusedBeforeStored(answer);
  return !isAppError(error) || ["cluster_unreachable", "cluster_timeout"].includes(error.code);
}

/** The definition if it shows the write. */
async function look(
  connection: Connection,
  { name, uid }: Pick<Crd, "name" | "uid">,
  isWritten: IsWritten,
): Promise<Crd | "not written" | "unknown"> {
  const signal = AbortSignal.timeout(LOOK_WITHIN_MS);
  for (;;) {
    try {
      const { crd, exact } = await readExactCrd(connection, name, signal);
      const written = crd.uid === uid && isWritten(crd, exact);
      return written ? crd : written === null ? "unknown" : "not written";
    } catch (error) {
      // A 404 that doesn't come from the API server keeps its answer.
      if (isAppError(error) && error.code === "not_found" && clusterAnswer(error) === null) return "not written";
      await sleep(LOOK_AGAIN_MS, signal).catch(() => {});
      if (signal.aborted) return "unknown";
    }
  }
}

function unconfirmed(error: unknown): AppError {
  const known = isAppError(error) ? error : new AppError("cluster_unreachable", "The request ended before the API server answered.");
  const { code, message, clusterMessage, details } = known;
  return new AppError(code, `${message} crdshift couldn't find out whether the change was made.`, {
    nextStep: [known.nextStep, "Look at the definition before you try again."].filter(Boolean).join(" "),
    ...{ clusterMessage, details: { ...details, unconfirmed: true }, cause: error },
  });
}
