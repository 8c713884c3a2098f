import { serviceAccountOf } from "#lib/domain/service-account.ts";

/** A user in a sentence; a service account by its own name and its namespace. */
export function userWords(user: string): string {
  const account = serviceAccountOf(user);
  return account ? `the service account ${account.name} in namespace ${account.namespace}` : user;
}
