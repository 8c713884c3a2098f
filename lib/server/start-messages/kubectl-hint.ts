/** How to look at the demo's cluster with kubectl, whose context is in no kubeconfig that kubectl would find. */
export function kubectlHint({ kubeconfig, context }: { kubeconfig: string; context: string }): string {
  return `kubectl --kubeconfig ${quoted(kubeconfig)} --context ${quoted(context)} get crds`;
}

function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
