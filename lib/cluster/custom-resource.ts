import type { Crd } from "#lib/domain/crd.ts";
import type { ObjectName } from "#lib/domain/rewrite.ts";

/** Where a definition's objects are: all that a path needs. */
export type CustomResource = Pick<Crd, "group" | "plural" | "scope">;

/** The path of all objects, read at a version. */
export function collectionPath(resource: CustomResource, version: string): string {
  return `/apis/${encodeURIComponent(resource.group)}/${encodeURIComponent(version)}/${encodeURIComponent(resource.plural)}`;
}

/** The path of one object, read at a version. */
export function objectPath(resource: CustomResource, version: string, { namespace, name }: ObjectName): string {
  const collection = encodeURIComponent(resource.plural);
  const scope = resource.scope === "Namespaced" ? `namespaces/${encodeURIComponent(namespace)}/` : "";
  return `/apis/${encodeURIComponent(resource.group)}/${encodeURIComponent(version)}/${scope}${collection}/${encodeURIComponent(name)}`;
}
