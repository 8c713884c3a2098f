/** Where each page is. */
export function fleetHref(cluster: string): string {
  return `/clusters/${encodeURIComponent(cluster)}`;
}

export function definitionHref(cluster: string, crd: string): string {
  return `${fleetHref(cluster)}/crds/${encodeURIComponent(crd)}`;
}

export function rewriteHref(cluster: string, crd: string, id: string): string {
  return `${definitionHref(cluster, crd)}/rewrites/${encodeURIComponent(id)}`;
}
