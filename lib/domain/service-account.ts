export interface ServiceAccount {
  namespace: string;
  name: string;
}

/** The service account that a user's name stands for, or null: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#service-account-tokens */
export function serviceAccountOf(user: string): ServiceAccount | null {
  const { namespace, name } = /^system:serviceaccount:(?<namespace>[^:]+):(?<name>[^:]+)$/.exec(user)?.groups ?? {};
  return namespace && name ? { namespace, name } : null;
}
