import { isPathSegment } from "#lib/cluster/transport/request.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";

/**
 * Why no request can name an object as it is listed; null if one can. An object of a deleted definition stays in etcd if finalizers held
 * it, and is listed again by a definition of the same name, even of another scope. At the path that it would have there, the API server
 * finds nothing, or another object.
 */
export function whyUnaddressable({ scope }: Pick<Crd, "scope">, { namespace, name }: ObjectName): string | null {
  if (!isPathSegment(name) || (namespace !== "" && !isPathSegment(namespace))) return "Its name or namespace isn't valid in Kubernetes.";
  if ((namespace === "") === (scope === "Cluster")) return null;
  const listed = namespace === "" ? "no namespace" : `namespace ${namespace}`;
  return `It is listed in ${listed}, but the definition's scope is ${scope}: it was left by an earlier definition.`;
}
