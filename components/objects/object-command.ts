import { quoted } from "#components/crd/kubectl.ts";
import type { CrdDetail } from "#lib/contract/crd.ts";

/** The same object by hand, at the same version and with its managedFields. */
export function objectCommand(
  kubectl: string,
  crd: Pick<CrdDetail, "plural" | "group">,
  object: { namespace: string; name: string },
  version: string,
): string {
  const namespace = object.namespace ? ` --namespace ${quoted(object.namespace)}` : "";
  const resource = quoted(`${crd.plural}.${version}.${crd.group}`);
  return `${kubectl} get ${resource} ${quoted(object.name)}${namespace} -o json --show-managed-fields`;
}
