/** Recorded in place of a user whose name the API server did not give. */
export const UNKNOWN_USER = "unknown";

/** The API server's name for the user; null if it gave none. */
export function knownUser(user: string | null): string | null {
  return user === UNKNOWN_USER ? null : user;
}

interface ServiceAccount {
  namespace: string;
  name: string;
}

/**
 * The service account that a user name denotes, or null for other users.
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#service-account-tokens
 */
export function serviceAccountOf(user: string): ServiceAccount | null {
  const { namespace, name } = /^system:serviceaccount:(?<namespace>[a-z0-9-]+):(?<name>[a-z0-9.-]+)$/.exec(user)?.groups ?? {};
  return namespace && name ? { namespace, name } : null;
}
