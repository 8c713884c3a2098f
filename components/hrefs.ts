/** The URL of the page that lists all definitions. */
export function fleetHref(cluster: string): string {
  return `/clusters/${encodeURIComponent(cluster)}`;
}

export function enginesHref(cluster: string): string {
  return `${fleetHref(cluster)}/engines`;
}

export function definitionHref(cluster: string, crd: string): string {
  return `${fleetHref(cluster)}/crds/${encodeURIComponent(crd)}`;
}

export function rewriteHref(cluster: string, crd: string, id: string): string {
  return `${definitionHref(cluster, crd)}/rewrites/${encodeURIComponent(id)}`;
}

export function reportHref(cluster: string, crd: string, id: string): string {
  return `${rewriteHref(cluster, crd, id)}/report`;
}

export function dryRunHref(cluster: string, crd: string, id: string): string {
  return `${definitionHref(cluster, crd)}/dry-runs/${encodeURIComponent(id)}`;
}

/** The page that guides through removing a version. */
export function removalHref(cluster: string, crd: string, version: string): string {
  return `${definitionHref(cluster, crd)}/versions/${encodeURIComponent(version)}/removal`;
}

/** A definition's objects at `version`, by default the storage version. */
export function objectsHref(cluster: string, crd: string, query: { version?: string; continue?: string } = {}): string {
  return withQuery(`${definitionHref(cluster, crd)}/objects`, query);
}

/** How an object's page shows it. */
export interface ObjectViewQuery {
  /** By default the storage version. */
  version?: string;
  /** A second version to compare with. */
  beside?: string;
  /** The path to scroll to. */
  at?: string;
}

/** One object; `namespace` is empty if it is cluster-scoped. */
export function objectHref(
  cluster: string,
  crd: string,
  object: { namespace: string; name: string },
  { version, beside, at }: ObjectViewQuery = {},
): string {
  const path = `${definitionHref(cluster, crd)}/objects/${encodeURIComponent(object.name)}`;
  return withQuery(path, {
    ...(object.namespace && { namespace: object.namespace }),
    ...(version && { version }),
    ...(beside && { beside }),
    ...(at && { at }),
  });
}

function withQuery(path: string, query: Record<string, string>): string {
  const parameters = new URLSearchParams(query).toString();
  return parameters ? `${path}?${parameters}` : path;
}
