import type { StoredValue } from "#lib/local-cluster/sample-definition.ts";

/** The differences between two readings of etcd: the number of objects in which each path was dropped or added. */
export interface Differences {
  dropped: Record<string, number>;
  added: Record<string, number>;
  /** The number of objects in which each manager lost its entry. */
  unowned: Record<string, number>;
}

/** Compares raw values from etcd, without any code of the dry run. */
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

/** Every path of a stored value except its metadata, with list indexes folded. */
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

/** The topmost paths only: a whole missing tree is one loss. */
function topmost(paths: string[]): string[] {
  return paths.filter((path) => !paths.some((other) => path !== other && (path.startsWith(`${other}.`) || path.startsWith(`${other}[`))));
}

function count(counts: Record<string, number>, keys: string[]): void {
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
}
