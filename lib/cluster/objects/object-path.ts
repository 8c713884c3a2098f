import { pathSegment } from "#lib/cluster/transport/request.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";
import { whyUnaddressable } from "./why-unaddressable.ts";

/** The parts of a definition that its objects' paths need. */
export type CustomResource = Pick<Crd, "group" | "plural" | "scope">;

/** The path of all objects, read at a version. */
export function collectionPath(resource: CustomResource, version: string): string {
  return `/apis/${pathSegment(resource.group)}/${pathSegment(version)}/${pathSegment(resource.plural)}`;
}

/**
 * The path of one object, read at a version.
 * @throws AppError invalid_input for an object that no request can name: without its namespace, the path may be another object's.
 */
export function objectPath(resource: CustomResource, version: string, object: ObjectName): string {
  const { namespace, name } = object;
  const fault = whyUnaddressable(resource, object);
  if (fault) {
    throw new AppError("invalid_input", `No request can name ${fullName(object)}. ${fault}`, {
      nextStep: "Correct the name.",
    });
  }
  const collection = pathSegment(resource.plural);
  const scope = resource.scope === "Namespaced" ? `namespaces/${pathSegment(namespace)}/` : "";
  return `/apis/${pathSegment(resource.group)}/${pathSegment(version)}/${scope}${collection}/${pathSegment(name)}`;
}
