import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type Credentials, credentialsId, ownCredentials, tokenExpiry } from "#lib/cluster/connection/credentials.ts";
import { whoAsks } from "#lib/sign-in/authenticate.ts";
import { confirmedName, isRejected } from "#lib/sign-in/confirm-token.ts";
import type { Session } from "#lib/sign-in/session/session.ts";
import { isSignedOut } from "#lib/sign-in/session/signed-out.ts";

/** What tells whether someone is still known, without their token. */
interface Known {
  /** The id of their credentials. */
  id: string;
  session: NamedSession | null;
  /** When their session or token ends, in ms since the epoch; null if nobody knows. */
  until: number | null;
  /** Null once they aren't known any more. */
  person: string | null;
  lookedAt: number;
}

type NamedSession = Pick<Session, "id" | "user">;

/** Looking at 2,048 takes milliseconds. */
const LOOK_AGAIN_AFTER_MS = 1_000;

/** Who asked last through each connection, of those who are known. */
const askedThrough = new WeakMap<Socket, Known>();

/** The person who asked last through this connection, of those who are known; null if none did, or if they aren't known any more. */
export function personOf(socket: Socket): string | null {
  const known = askedThrough.get(socket);
  if (!known) return null;
  const now = performance.now();
  if (now - known.lookedAt >= LOOK_AGAIN_AFTER_MS) {
    const isOver = known.until !== null && known.until <= Date.now();
    Object.assign(known, { lookedAt: now, person: isOver ? null : nameOf(known.id, known.session) });
  }
  return known.person;
}

/**
 * Whoever has proven who they are, by their token while the cluster hasn't said its name; null for all others, who could pretend to be any
 * number of people. From now on, the connection is that person's.
 */
export function knownPerson({ headers, socket }: IncomingMessage): string | null {
  const asker = whoAsks({ headers: { get: (name) => String(headers[name.toLowerCase()] ?? "") || null } });
  if (!asker.credentials) return null;
  const { credentials, session } = asker;
  const id = credentialsId(credentials);
  const person = nameOf(id, session);
  if (person === null) return null;
  const before = askedThrough.get(socket);
  const until = session?.until ?? (before?.id === id ? before.until : endOf(credentials));
  askedThrough.set(socket, { id, session: session && { id: session.id, user: session.user }, until, person, lookedAt: performance.now() });
  return person;
}

function endOf(credentials: Credentials): number | null {
  return credentials.kind === "own" ? null : tokenExpiry(credentials.token);
}

function nameOf(id: string, session: NamedSession | null): string | null {
  if (session && isSignedOut(session.id)) return null;
  // However many tokens and sessions someone has, also after a restart, or once others have pushed what the cluster said out.
  const confirmed = confirmedName(id);
  const name = confirmed || (isRejected(id) ? null : session?.user);
  if (name) return `user ${name}`;
  if (id === credentialsId(ownCredentials)) return session ? `session ${session.id}` : "script";
  // The cluster accepted a session's token once, but after a restart it hasn't said yet whose it is.
  const isKnown = confirmed !== null || (session !== null && !isRejected(id));
  return isKnown ? `token ${id}` : null;
}
