const PAGE = /^(?<fleet>\/clusters\/(?<cluster>[^/]+))(?<crd>\/crds\/[^/]+)?(?<below>\/.+)?$/;

/** The cluster whose page a path is, or null. */
export function clusterOfPath(path: string): string | null {
  const cluster = PAGE.exec(path)?.groups?.cluster;
  return cluster === undefined ? null : decodeURIComponent(cluster);
}

/** The page above a path: of a run, a dry run or objects the definition, of a definition the fleet; null above that. */
export function wayUp(path: string): { href: string; label: string } | null {
  const { fleet, crd, below } = PAGE.exec(path)?.groups ?? {};
  if (!fleet || !crd) return null;
  return below ? { href: `${fleet}${crd}`, label: "Go to the definition" } : { href: fleet, label: "Go to all definitions" };
}
