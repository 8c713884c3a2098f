/** The kubectl command for the demo's cluster, whose context isn't in a kubeconfig that kubectl finds by itself. */
export function kubectlHint({ kubeconfig, context }: { kubeconfig: string; context: string }): string {
  return `kubectl --kubeconfig ${quoted(kubeconfig)} --context ${quoted(context)} get crds`;
}

function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
