/** Paths of the HTTP surface; context names may hold slashes, colons and spaces. */
export function clusterPath(cluster: string): string {
  return `/api/clusters/${encodeURIComponent(cluster)}`;
}

export function crdPath(cluster: string, crd: string): string {
  return `${clusterPath(cluster)}/crds/${encodeURIComponent(crd)}`;
}

export function versionPath(cluster: string, crd: string, version: string): string {
  return `${crdPath(cluster, crd)}/versions/${encodeURIComponent(version)}`;
}

export function rewritePath(cluster: string, crd: string, id: string): string {
  return `${crdPath(cluster, crd)}/rewrites/${encodeURIComponent(id)}`;
}

/** The report of a run, as JSON. */
export function reportPath(cluster: string, crd: string, id: string): string {
  return `${rewritePath(cluster, crd, id)}/report`;
}

export function dryRunPath(cluster: string, crd: string, id: string): string {
  return `${crdPath(cluster, crd)}/dry-runs/${encodeURIComponent(id)}`;
}

/** The permissions that the user lacks on a definition. */
export function rightsPath(cluster: string, crd: string): string {
  return `${crdPath(cluster, crd)}/rights`;
}

/** What holds the objects of a definition. */
export function finalizersPath(cluster: string, crd: string): string {
  return `${crdPath(cluster, crd)}/finalizers`;
}

/** A page of objects. */
export function objectsPath(cluster: string, crd: string, query: { version: string; limit: number; continue: string | null }): string {
  const parameters = new URLSearchParams({ version: query.version, limit: String(query.limit) });
  if (query.continue !== null) parameters.set("continue", query.continue);
  return `${crdPath(cluster, crd)}/objects?${parameters}`;
}

/** One object as a version shows it; namespace is empty for a cluster-scoped one. */
export function objectPath(...[cluster, crd, object, version]: PathOfObject): string {
  return `${crdPath(cluster, crd)}/objects/${encodeURIComponent(object.name)}?${objectParameters(object, version)}`;
}

/** The same object as the API server gives it, for saving as a file. */
export function objectDownloadPath(...[cluster, crd, object, version]: PathOfObject): string {
  return `${crdPath(cluster, crd)}/objects/${encodeURIComponent(object.name)}/download?${objectParameters(object, version)}`;
}

type PathOfObject = [cluster: string, crd: string, object: { namespace: string; name: string }, version: string];

function objectParameters({ namespace }: { namespace: string }, version: string): URLSearchParams {
  return new URLSearchParams({ version, ...(namespace && { namespace }) });
}
