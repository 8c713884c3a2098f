/** Paths of the HTTP surface; context names may hold slashes, colons and spaces. */
export function clusterPath(cluster: string): string {
  return `/api/clusters/${encodeURIComponent(cluster)}`;
}

export function crdPath(cluster: string, crd: string): string {
  return `${clusterPath(cluster)}/crds/${encodeURIComponent(crd)}`;
}

export function rewritePath(cluster: string, crd: string, id: string): string {
  return `${crdPath(cluster, crd)}/rewrites/${encodeURIComponent(id)}`;
}
