import { type Connection, connect, contextsFor } from "#lib/cluster/connection/connection.ts";
import type { Credentials } from "#lib/cluster/connection/credentials.ts";
import { forgetRefused } from "#lib/cluster/fleet/fleet.ts";
import { reviewSelf } from "#lib/cluster/rights/who-am-i.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { authenticate } from "./authenticate.ts";

interface Confirmation {
  at: number;
  user: Promise<string | null>;
  /** Whether the cluster has ever taken the token, and not refused it since. */
  isTaken: boolean;
}

interface Confirmations {
  byAudience: Map<string, Confirmation>;
  asking: number;
}

const FRESH_MS = 30_000;
const ASK_WITHIN_MS = 10_000;
const MAX_KNOWN = 1_000;
/** Whoever makes tokens up must not make this process ask the cluster without bound. */
const MOST_ASKING = 32;

/**
 * Asks the cluster, at most twice a minute, whether it takes a person's token, and whose it is; null for this process's own credentials
 * and while the cluster does not answer. A watch outlives the token that opened it, and what it told is still in memory: without this,
 * whoever holds a revoked token would go on reading.
 * @throws AppError unauthenticated when it does not take it, too_many_requests when it is asked about many at once that it has not taken before.
 */
export async function confirmToken(credentials: Credentials): Promise<string | null> {
  if (credentials.kind === "own") return null;
  const connection = await connect(contextsFor(credentials).current, credentials);
  try {
    return await userOf(connection);
  } catch (error) {
    if (isAppError(error) && error.code === "unauthenticated") forgetRefused(connection, error);
    throw error;
  }
}

function userOf(connection: Connection): Promise<string | null> {
  const confirmations = processWide("confirmed-tokens", (): Confirmations => ({ byAudience: new Map(), asking: 0 }));
  const { byAudience } = confirmations;
  const known = byAudience.get(connection.audience);
  if (known && Date.now() - known.at < FRESH_MS) return known.user;
  const isTaken = known?.isTaken ?? false;
  if (!isTaken && confirmations.asking >= MOST_ASKING) {
    throw new AppError("too_many_requests", "Many tokens are being looked at.", { nextStep: "Try again in a moment." });
  }
  const confirmation: Confirmation = { at: Date.now(), user: ask(), isTaken };
  byAudience.delete(connection.audience);
  byAudience.set(connection.audience, confirmation);
  for (const audience of [...byAudience.keys()].slice(0, Math.max(0, byAudience.size - MAX_KNOWN))) byAudience.delete(audience);
  return confirmation.user;

  async function ask(): Promise<string | null> {
    confirmations.asking += 1;
    try {
      const user = await askUser(connection);
      if (user !== null) confirmation.isTaken = true;
      return user;
    } catch (error) {
      confirmation.isTaken = false;
      throw error;
    } finally {
      confirmations.asking -= 1;
    }
  }
}

async function askUser(connection: Connection): Promise<string | null> {
  try {
    return await reviewSelf(connection, AbortSignal.timeout(ASK_WITHIN_MS));
  } catch (error) {
    if (isAppError(error) && error.code === "unauthenticated") throw error;
    // A cluster that does not answer now refuses nobody: nothing new comes from it either.
    return null;
  }
}

/** Why whoever asked may be told no more, null while they may: a session ends, and a token is revoked, while a long answer goes on. */
export async function endOfReading(request: Request): Promise<unknown> {
  try {
    await confirmToken(authenticate(request));
    return null;
  } catch (error) {
    return error;
  }
}
