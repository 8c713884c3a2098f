import { knownUser, serviceAccountOf } from "#lib/domain/audit/known-user.ts";

/** A definition's name with the plural emphasized over the group. */
export function CrdName({ plural, group }: { plural: string; group: string }) {
  return (
    <>
      <span className="font-medium text-ink">{plural}</span>
      <span className="text-ink-faint">.{group}</span>
    </>
  );
}

/** A definition is named <plural>.<group>. */
export function pluralOf(crd: string): string {
  return crd.split(".", 1)[0] ?? crd;
}

/** A resourceVersion as the API server writes it: it is a name, not a quantity. */
export function ResourceVersion({ value }: { value: string }) {
  return <span className="font-mono text-[0.92em]">{value}</span>;
}

/** The user that a record names, or "unknown user". */
export function userOrUnknown(user: string | null): string {
  return knownUser(user) ?? "unknown user";
}

/** A user as part of a sentence; a service account by name and namespace. */
export function userWords(user: string): string {
  const account = serviceAccountOf(user);
  return account ? `service account ${account.name} in namespace ${account.namespace}` : user;
}
