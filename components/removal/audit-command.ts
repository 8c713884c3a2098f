import { quoted } from "#components/crd/kubectl.ts";
import type { CrdDetail } from "#lib/contract/crd.ts";

/**
 * Who requested a version, most requests first, from an API server's audit log: https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/
 * A watch has two entries behind its beginning.
 */
export function auditCommand(crd: Pick<CrdDetail, "group" | "plural">, version: string): string {
  const isAt = (field: string, value: string) => `.objectRef.${field} == ${JSON.stringify(value)}`;
  const which = [isAt("apiGroup", crd.group), isAt("resource", crd.plural), isAt("apiVersion", version)].join(" and ");
  const filter = `select(.stage != "RequestReceived" and ${which}) | [.user.username, .userAgent, .verb] | @tsv`;
  return `jq -r ${quoted(filter)} audit.log |\n  sort | uniq -c | sort -rn`;
}
