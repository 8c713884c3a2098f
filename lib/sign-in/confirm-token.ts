import { setTimeout } from "node:timers/promises";
import { isFresh } from "#lib/async/is-fresh.ts";
import { connect, contextsFor } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { audienceOf, type Credentials, contextOf } from "#lib/cluster/connection/credentials.ts";
import { forgetRefused } from "#lib/cluster/fleet/fleet-of.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { authenticate } from "./authenticate.ts";
import { reviewToken } from "./review-token.ts";

interface Confirmation {
  at: number;
  user: Promise<string | null>;
  /** Null until the cluster has said; kept while it doesn't answer. */
  name: string | null;
  /** Whether the cluster has accepted the token, or rejected it since; null until it has said. */
  isTaken: boolean | null;
  /** As in Connection. */
  expiresAt: number | null;
}

interface Confirmations {
  byAudience: Map<string, Confirmation>;
  /** The contexts of all that have been asked. */
  contexts: Set<string>;
  /** How many are being asked about that the cluster hasn't accepted before. */
  asking: number;
}

const FRESH_MS = 30_000;
const ASK_WITHIN_MS = 10_000;
/** A run that is told to stop sends nothing more after a second. */
const URGENT_MS = 300;
/** As long as a session lasts: while the cluster doesn't answer, whoever has begun a run may come back to cancel it. */
const UNUSED_AFTER_MS = 8 * 60 * 60_000;
/** As many that the cluster has accepted, and as many others. */
const MAX_KNOWN = 1_000;
/** Limits the requests to the cluster that made-up tokens can cause. */
const MOST_ASKING = 32;

/**
 * Asks the cluster, at most twice a minute, whether it accepts a person's token, and returns the user's name: the last that the cluster
 * has said, while it doesn't answer about a token that it has accepted before. Null for this process's own credentials, and if the cluster
 * has never said. A watch outlives the token that opened it, and its data stays in memory: without this check, the holder of a revoked
 * token could keep reading. With `urgent`, a token that the cluster has accepted before does not wait long for the answer; a rejection
 * still ends its connection.
 * @throws AppError unauthenticated if the cluster rejects it, cluster_unreachable and the like if it has never accepted it and doesn't
 * answer, too_many_requests if too many unconfirmed tokens are checked at once, or too many people use crdshift.
 */
export async function confirmToken(credentials: Credentials, { urgent = false } = {}): Promise<string | null> {
  if (credentials.kind === "own") return null;
  const connection = await connect(contextsFor(credentials).current, credentials);
  const known = confirmedTokens().byAudience.get(connection.audience);
  const confirmed = confirmedUser(connection);
  if (!urgent || !known?.isTaken) return confirmed;
  // The timer may win.
  confirmed.catch(() => {});
  return Promise.race([confirmed, setTimeout(URGENT_MS, known.name, { ref: false })]);
}

/**
 * Keeps a connection as that of whoever the cluster has said they are, if it has accepted their token.
 * @throws AppError too_many_requests as in Connection.
 */
export function keepConfirmed(connection: Connection): void {
  const known = confirmedTokens().byAudience.get(connection.audience);
  if (known?.isTaken) connection.keepFor(known.name);
}

/** Takes a token that the cluster has just accepted as confirmed: a flood of made-up ones must not keep its first requests waiting. */
export function noteConfirmed({ audience, expiresAt }: Pick<Connection, "audience" | "expiresAt">, name: string): void {
  const confirmation = { at: Date.now(), user: Promise.resolve(name), name, isTaken: true, expiresAt };
  remember(confirmedTokens().byAudience, audience, confirmation);
}

/** Whose credentials have this id: empty if the cluster has accepted them without saying, null if it hasn't, or has rejected them since. */
export function confirmedName(id: string): string | null {
  const confirmed = confirmationsOf(id).find(({ isTaken }) => isTaken);
  return confirmed ? (confirmed.name ?? "") : null;
}

/** Whether the cluster has rejected the credentials with this id, and not accepted them since. */
export function isRejected(id: string): boolean {
  return confirmationsOf(id).some(({ isTaken }) => isTaken === false);
}

/** One for each cluster that was asked. */
function confirmationsOf(id: string): Confirmation[] {
  const { byAudience, contexts } = confirmedTokens();
  return [...contexts].flatMap((context) => byAudience.get(audienceOf(context, id)) ?? []);
}

async function confirmedUser(connection: Connection): Promise<string | null> {
  const user = await acceptedUser(connection);
  keepConfirmed(connection);
  return user;
}

async function acceptedUser(connection: Connection): Promise<string | null> {
  try {
    return await userOf(connection);
  } catch (error) {
    if (isAppError(error) && error.code === "unauthenticated") forgetRefused(connection, error);
    throw error;
  }
}

function confirmedTokens(): Confirmations {
  return processWide("confirmed-tokens", () => ({ byAudience: new Map(), contexts: new Set(), asking: 0 }));
}

function userOf(connection: Connection): Promise<string | null> {
  const confirmations = confirmedTokens();
  const { byAudience } = confirmations;
  const known = byAudience.get(connection.audience);
  if (known && isFresh(known.at, FRESH_MS)) return known.user;
  const isTaken = known?.isTaken ?? null;
  if (!isTaken && confirmations.asking >= MOST_ASKING) {
    throw new AppError("too_many_requests", "Too many tokens are being checked at once.", { nextStep: "Try again in a moment." });
  }
  const { expiresAt } = connection;
  const confirmation: Confirmation = { at: Date.now(), user: ask(), name: known?.name ?? null, isTaken, expiresAt };
  remember(byAudience, connection.audience, confirmation);
  return confirmation.user;

  async function ask(): Promise<string | null> {
    const isNew = !isTaken;
    if (isNew) confirmations.asking += 1;
    const within = AbortSignal.timeout(ASK_WITHIN_MS);
    try {
      const user = await reviewToken(connection, within);
      confirmation.name = user;
      note(true);
      return user;
    } catch (error) {
      const code = isAppError(error) ? error.code : null;
      // Whoever may not ask who they are was accepted all the same.
      if (code === "forbidden") note(true);
      if (code === "unauthenticated") note(false);
      // A cluster that doesn't answer rejects no one that it has accepted, and sends nothing new either.
      if (confirmation.isTaken) return confirmation.name;
      // A rejection stays one for a while; a silence may end at any time.
      if (code !== "unauthenticated" && byAudience.get(connection.audience) === confirmation) byAudience.delete(connection.audience);
      if (!within.aborted || code !== null) throw withoutAddress(error);
      throw new AppError("cluster_timeout", "The cluster didn't confirm the token within 10 s.", {
        nextStep: "Try again once it answers.",
        cause: error,
      });
    } finally {
      if (isNew) confirmations.asking -= 1;
    }
  }

  function note(isTaken: boolean): void {
    confirmation.isTaken = isTaken;
    // One that the cluster accepts is remembered even if others have pushed it out meanwhile.
    if (isTaken || byAudience.get(connection.audience) === confirmation) remember(byAudience, connection.audience, confirmation);
  }
}

/** Made-up tokens push out one another, and none that the cluster has accepted. */
function remember(byAudience: Confirmations["byAudience"], audience: string, confirmation: Confirmation): void {
  for (const [other, known] of byAudience) if (isOver(known)) byAudience.delete(other);
  byAudience.delete(audience);
  byAudience.set(audience, confirmation);
  confirmedTokens().contexts.add(contextOf(audience));
  const isAccepted = confirmation.isTaken === true;
  const alike = new Map([...byAudience].filter(([, { isTaken }]) => (isTaken === true) === isAccepted));
  if (alike.size > MAX_KNOWN) byAudience.delete(leastKnown(alike));
}

/** Whether nobody can use the token any more, or has for hours. One that was asked about a moment ago is in use, whatever its expiry. */
function isOver({ at, expiresAt }: Confirmation): boolean {
  const now = Date.now();
  return now - at > UNUSED_AFTER_MS || (now - at > FRESH_MS && expiresAt !== null && expiresAt < now);
}

/**
 * The oldest that the cluster has rejected, or else the oldest of the person with the most tokens: those of one person push out one
 * another. Those whose owner the cluster won't tell may be as many people. Not one that it is still being asked about.
 */
export function leastKnown(byAudience: ReadonlyMap<string, Pick<Confirmation, "name" | "isTaken">>): string {
  const people = new Map<string, { oldest: string; tokens: number }>();
  for (const [audience, { name, isTaken }] of byAudience) {
    if (isTaken === null) continue;
    if (!isTaken) return audience;
    const person = name === null ? `unnamed ${audience}` : `user ${name}`;
    const { oldest, tokens } = people.get(person) ?? { oldest: audience, tokens: 0 };
    people.set(person, { oldest, tokens: tokens + 1 });
  }
  const [most] = [...people.values()].sort((one, other) => other.tokens - one.tokens);
  return most?.oldest ?? "";
}

/** The error for someone whose token the cluster has not accepted, who doesn't learn where the cluster is, or why it can't be reached. */
export function withoutAddress(error: unknown): unknown {
  if (!isAppError(error) || (error.code !== "cluster_unreachable" && error.code !== "cluster_timeout")) return error;
  return new AppError(error.code, "The cluster does not answer.", { nextStep: "Try again once it answers.", cause: error });
}

/**
 * Why the reader may no longer read, null while they may: during a long answer a session can end, and a token can be revoked. Whoever has
 * no place for this token any more may read to the end.
 */
export async function endOfReading(request: Request): Promise<unknown> {
  try {
    const credentials = authenticate(request);
    if (credentials.kind === "bearer") await acceptedUser(await connect(contextsFor(credentials).current, credentials));
    return null;
  } catch (error) {
    return error;
  }
}
