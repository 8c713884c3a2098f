import { request } from "undici";
import { sleep } from "#lib/async/sleep.ts";
import { untilAborted } from "#lib/async/until-aborted.ts";
import { countError, countRequest } from "./api-requests.ts";
import type { Connection } from "./connection.ts";
import { transportError } from "./errors.ts";

const EVERY_MS = 5_000;
const TIMEOUT_MS = 5_000;
const PATH = "/livez";

/**
 * Asks every five seconds, while it is wanted, whether the API server still answers; a watch alone may hang for minutes
 * before it is known to. Throws AppError when nothing comes back, and the signal's reason.
 */
export async function probeWhile(isWanted: () => boolean, connection: Connection, signal: AbortSignal): Promise<never> {
  for (;;) {
    await sleep(EVERY_MS, signal);
    if (isWanted()) await probe(connection, signal);
  }
}

// Without credentials, so that no plugin is called for it: any answer will do, a refusal too.
async function probe(connection: Connection, signal: AbortSignal): Promise<void> {
  const limits = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };
  try {
    const send = () => request(`${connection.server}${PATH}`, { dispatcher: connection.dispatcher, signal, ...limits });
    const { body } = await countRequest("GET", signal, () => untilAborted(send(), signal));
    await body.dump();
  } catch (error) {
    const told = transportError(error, connection, { path: PATH, signal });
    throw signal.aborted ? told : countError(told);
  }
}
