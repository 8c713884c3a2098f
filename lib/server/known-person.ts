import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { credentialsId, ownCredentials } from "#lib/cluster/connection/credentials.ts";
import { whoAsks } from "#lib/sign-in/authenticate.ts";
import { confirmedName, isRejected } from "#lib/sign-in/confirm-token.ts";

/** Who asked last through each connection, of those who are known. */
const people = new WeakMap<Socket, string>();

/** The person who asked last through this connection, of those who are known; null if none did. */
export function personOf(socket: Socket): string | null {
  return people.get(socket) ?? null;
}

/**
 * Whoever has proven who they are, by their token while the cluster hasn't said its name; null for all others, who could pretend to be any
 * number of people. From now on, the connection is that person's.
 */
export function knownPerson({ headers, socket }: IncomingMessage): string | null {
  const asker = whoAsks({ headers: { get: (name) => String(headers[name.toLowerCase()] ?? "") || null } });
  if (!asker.credentials) return null;
  const { credentials, session } = asker;
  const person = nameOf(credentialsId(credentials), session);
  if (person !== null) people.set(socket, person);
  return person;
}

function nameOf(id: string, session: { id: string } | null): string | null {
  // However many tokens and sessions someone has.
  const name = confirmedName(id);
  if (name) return `user ${name}`;
  if (id === credentialsId(ownCredentials)) return session ? `session ${session.id}` : "script";
  // The cluster accepted a session's token once, but after a restart it hasn't said yet whose it is.
  const isKnown = name === "" || (session !== null && !isRejected(id));
  return isKnown ? `token ${id}` : null;
}
