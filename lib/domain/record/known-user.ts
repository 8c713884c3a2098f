/** What stands in a record for a user whose name the API server would not say. */
export const UNKNOWN_USER = "unknown";

/** The user as the API server calls it; null where it did not say. */
export function knownUser(user: string | null): string | null {
  return user === UNKNOWN_USER ? null : user;
}

interface ServiceAccount {
  namespace: string;
  name: string;
}

/** The service account that a user's name stands for, or null for another user, whatever that one is called: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#service-account-tokens */
export function serviceAccountOf(user: string): ServiceAccount | null {
  const { namespace, name } = /^system:serviceaccount:(?<namespace>[a-z0-9-]+):(?<name>[a-z0-9.-]+)$/.exec(user)?.groups ?? {};
  return namespace && name ? { namespace, name } : null;
}
