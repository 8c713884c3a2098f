import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { SessionInfo } from "#lib/contract/session.ts";
import { shellQuoted } from "#lib/domain/wording/shell-quoted.ts";

/**
 * The kubectl call for a cluster's context. `session` is null until known. A token session gets no --context: the context is in the
 * server's kubeconfig, not in the reader's.
 */
export function kubectlFor(session: Pick<SessionInfo, "mode"> | null, context: string): string {
  return session?.mode === "token" || context === "in-cluster" ? "kubectl" : `kubectl --context ${shellQuoted(context)}`;
}

type Subject = Pick<CrdDetail, "name" | "plural" | "group" | "scope" | "storageVersion" | "resourceVersion">;

/** A rewrite with kubectl: an empty patch to each object, at the storage version. */
export function rewriteCommand(kubectl: string, crd: Subject): string {
  const resource = shellQuoted(`${crd.plural}.${crd.storageVersion}.${crd.group}`);
  // Names without `-o name`, which leaves out the version: kubectl would then patch at the version that discovery prefers.
  const isCluster = crd.scope === "Cluster";
  const [printed, read, where] = isCluster
    ? ["{.metadata.name}", "name", ""]
    : ['{.metadata.namespace}{" "}{.metadata.name}', "namespace name", ' --namespace "$namespace"'];
  const names = `jsonpath='{range .items[*]}${printed}{"\\n"}{end}'`;
  return (
    `${kubectl} get ${resource}${isCluster ? "" : " --all-namespaces"} --chunk-size=500 -o ${names} |\n` +
    `  while read -r ${read}; do\n` +
    `    ${kubectl} patch ${resource} "$name"${where} --type=merge -p '{}'\n` +
    `  done`
  );
}

/** A prune with kubectl; fails if the definition has changed since it was read. */
export function pruneCommand(kubectl: string, crd: Subject): string {
  const status = { storedVersions: [crd.storageVersion] };
  const patch = JSON.stringify({ metadata: { resourceVersion: crd.resourceVersion }, status });
  return `${kubectl} patch customresourcedefinition ${shellQuoted(crd.name)} --subresource=status --type=merge \\\n  -p ${shellQuoted(patch)}`;
}

/** The kubectl command for a JSON patch of a definition: one step per line, with spaces where a long line may break. */
export function patchCommand(kubectl: string, crd: string, patch: readonly object[]): string {
  const steps = patch.map((step) => `  ${JSON.stringify(step, null, 1).replaceAll(/\n */g, " ")}`).join(",\n");
  return `${kubectl} patch customresourcedefinition ${shellQuoted(crd)} --type=json -p ${shellQuoted(`[\n${steps}\n]`)}`;
}
