import { AppError } from "#lib/contract/app-error.ts";

/** Each person has a pool of sockets and, while viewing a cluster, a watch and a cache. */
const MOST_PEOPLE = 200;
/** Whoever may create service accounts has as many names as they like, and must leave room for people. */
const MOST_SERVICE_ACCOUNTS = 100;
const MOST_OF_NAMESPACE = 50;
/** Readers of events and runs use their connections far more often than that. */
const MAKES_ROOM_AFTER_MS = 60_000;
/** Whoever creates service accounts must not keep pushing out the others of the namespace. */
const MAKES_ROOM_IN_NAMESPACE_AFTER_MS = 10 * 60_000;

const SERVICE_ACCOUNT = /^system:serviceaccount:[^:]*:/;

/**
 * Who has to leave so that a new person finds room, or null if nobody has to. A service account takes the place of another one, in the
 * namespace that has the most, or in its own if that has 50; anyone else takes the place of somebody who is no service account. It is always
 * the longest unused one, and never one that was used within the last minute, or ten in a namespace that has 50. `people` tells when each
 * was last used.
 * @throws AppError too_many_requests if there is no such place.
 */
export function whoMakesRoom(newcomer: string, people: ReadonlyMap<string, number>): string | null {
  if (people.has(newcomer)) return null;
  const namespace = namespaceOf(newcomer);
  if (namespace !== null) return whichAccount(namespace, people);
  if (people.size < MOST_PEOPLE) return null;
  return longestUnused(people, (name) => namespaceOf(name) === null) ?? refuse(`${MOST_PEOPLE} people`);
}

/** Throws AppError too_many_requests if the longest unused one of all these users was used within the last minute. */
export function requireUnused(usedAt: number | undefined, users: string): void {
  if (usedAt === undefined || Date.now() - usedAt <= MAKES_ROOM_AFTER_MS) refuse(users);
}

function whichAccount(namespace: string, people: ReadonlyMap<string, number>): string | null {
  const sizes = new Map<string, number>();
  for (const one of [...people.keys()].map(namespaceOf)) if (one !== null) sizes.set(one, (sizes.get(one) ?? 0) + 1);
  if ((sizes.get(namespace) ?? 0) >= MOST_OF_NAMESPACE) {
    const unused = longestUnused(people, (name) => namespaceOf(name) === namespace, MAKES_ROOM_IN_NAMESPACE_AFTER_MS);
    return unused ?? refuse(`${MOST_OF_NAMESPACE} service accounts of your namespace`, "ten minutes");
  }
  const accounts = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const hasRoom = accounts < MOST_SERVICE_ACCOUNTS;
  if (hasRoom && people.size < MOST_PEOPLE) return null;
  const most = Math.max(...sizes.values());
  const leaving = longestUnused(people, (name) => sizes.get(namespaceOf(name) ?? "") === most);
  return leaving ?? refuse(hasRoom ? `${MOST_PEOPLE} people` : `${MOST_SERVICE_ACCOUNTS} service accounts`);
}

function namespaceOf(name: string): string | null {
  return SERVICE_ACCOUNT.exec(name)?.[0] ?? null;
}

function longestUnused(
  people: ReadonlyMap<string, number>,
  mayLeave: (name: string) => boolean,
  unusedForMs = MAKES_ROOM_AFTER_MS,
): string | null {
  const unused = [...people].filter(([name, usedAt]) => mayLeave(name) && Date.now() - usedAt > unusedForMs);
  return unused.sort(([, one], [, other]) => one - other)[0]?.[0] ?? null;
}

function refuse(users: string, retryIn = "a minute"): never {
  throw new AppError("too_many_requests", `${users} are using crdshift, which is the limit.`, { nextStep: `Try again in ${retryIn}.` });
}
