import type { ObjectName } from "#lib/domain/rewrite/run.ts";

/** `namespace/name`, or the name alone for a cluster-scoped object, as kubectl writes it in messages. */
export function fullName({ namespace, name }: ObjectName): string {
  return namespace ? `${namespace}/${name}` : name;
}
