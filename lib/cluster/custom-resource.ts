import type { Crd } from "#lib/domain/crd.ts";
import type { ObjectName } from "#lib/domain/rewrite.ts";
import { pathSegment } from "./path-segment.ts";

/** Where a definition's objects are: all that a path needs. */
export type CustomResource = Pick<Crd, "group" | "plural" | "scope">;

/** The path of all objects, read at a version. */
export function collectionPath(resource: CustomResource, version: string): string {
  return `/apis/${pathSegment(resource.group)}/${pathSegment(version)}/${pathSegment(resource.plural)}`;
}

/** The path of one object, read at a version. */
export function objectPath(resource: CustomResource, version: string, { namespace, name }: ObjectName): string {
  const collection = pathSegment(resource.plural);
  const scope = resource.scope === "Namespaced" ? `namespaces/${pathSegment(namespace)}/` : "";
  return `/apis/${pathSegment(resource.group)}/${pathSegment(version)}/${scope}${collection}/${pathSegment(name)}`;
}
