import { knownUser, serviceAccountOf } from "#lib/domain/record/known-user.ts";

/** Who did something, by a record; in words where it does not tell. */
export function userOrUnknown(user: string | null): string {
  return knownUser(user) ?? "somebody unknown";
}

/** A user in a sentence; a service account by its own name and its namespace. */
export function userWords(user: string): string {
  const account = serviceAccountOf(user);
  return account ? `the service account ${account.name} in namespace ${account.namespace}` : user;
}
