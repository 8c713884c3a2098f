import { knownUser, serviceAccountOf } from "#lib/domain/record/known-user.ts";

/** The user that a record names, or "unknown user". */
export function userOrUnknown(user: string | null): string {
  return knownUser(user) ?? "unknown user";
}

/** A user as part of a sentence; a service account by name and namespace. */
export function userWords(user: string): string {
  const account = serviceAccountOf(user);
  return account ? `service account ${account.name} in namespace ${account.namespace}` : user;
}
