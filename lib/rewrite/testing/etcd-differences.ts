import type { StoredValue } from "#lib/local-cluster/sample-definition.ts";

/** What became of the objects between two readings of etcd: in how many of them each path was dropped or added. */
export interface Differences {
  dropped: Record<string, number>;
  added: Record<string, number>;
  /** By manager: in how many objects its entry is no more. */
  unowned: Record<string, number>;
}

/** Compares the raw values of etcd themselves; no code of a dry run takes part. */
export function etcdDifferences(before: Map<string, StoredValue>, after: Map<string, StoredValue>): Differences {
  const differences: Differences = { dropped: {}, added: {}, unowned: {} };
  for (const [name, old] of before) {
    const now = after.get(name);
    if (!now) throw new Error(`${name} is gone.`);
    const [oldPaths, newPaths] = [pathsIn(old.text), pathsIn(now.text)];
    count(differences.dropped, topmost([...oldPaths].filter((path) => !newPaths.has(path))));
    count(differences.added, topmost([...newPaths].filter((path) => !oldPaths.has(path))));
    const managers = new Set(now.metadata.managedFields?.map(({ manager }) => manager));
    const lost = old.metadata.managedFields?.map(({ manager }) => manager).filter((manager) => !managers.has(manager));
    count(differences.unowned, [...new Set(lost)]);
  }
  return differences;
}

/** Every path of a stored value but of its metadata, indexes of lists folded. */
function pathsIn(text: string): Set<string> {
  const paths = new Set<string>();
  const walk = (value: unknown, path: string) => {
    if (path) paths.add(path);
    if (Array.isArray(value)) for (const item of value) walk(item, `${path}[*]`);
    else if (typeof value === "object" && value !== null) for (const [key, inner] of Object.entries(value)) walk(inner, join(path, key));
  };
  const { metadata: _, ...rest } = JSON.parse(text);
  walk(rest, "");
  return paths;
}

function join(path: string, key: string): string {
  if (/[./ ]/.test(key)) return `${path}["${key}"]`;
  return path ? `${path}.${key}` : key;
}

/** The paths that are below no other of them: a whole tree that is gone is one loss. */
function topmost(paths: string[]): string[] {
  return paths.filter((path) => !paths.some((other) => path !== other && (path.startsWith(`${other}.`) || path.startsWith(`${other}[`))));
}

function count(counts: Record<string, number>, keys: string[]): void {
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
}
