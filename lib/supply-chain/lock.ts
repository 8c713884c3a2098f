import { readFile } from "node:fs/promises";

/** A package as package-lock.json has it. */
export interface LockedPackage {
  /** Where it is installed, such as `node_modules/next/node_modules/postcss`. */
  path: string;
  name: string;
  version: string;
  /** Hash of its content, such as `sha512-…`. */
  integrity: string | undefined;
  /** Where it comes from, if that is not the configured registry. */
  resolved: string | undefined;
  /** As it says itself: mostly an SPDX expression. */
  licence: string;
  /** Whether crdshift needs it beyond its tests and checks. */
  isProduction: boolean;
  /** Whether it may be missing, mostly because it is another platform's. */
  isOptional: boolean;
  hasInstallScript: boolean;
  /** Names of what it asks for. */
  asksFor: string[];
}

interface LockEntry {
  name?: string;
  version?: string;
  integrity?: string;
  resolved?: string;
  license?: string;
  dev?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** The packages of package-lock.json, without crdshift itself. */
export async function readLock(): Promise<LockedPackage[]> {
  const { packages }: { packages: Record<string, LockEntry> } = JSON.parse(await readFile("package-lock.json", "utf8"));
  return Object.entries(packages)
    .filter(([path]) => path !== "")
    .map(([path, entry]) => ({
      path,
      name: entry.name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
      version: entry.version ?? "",
      integrity: entry.integrity,
      resolved: entry.resolved,
      licence: entry.license ?? "",
      isProduction: entry.dev !== true,
      isOptional: entry.optional === true,
      hasInstallScript: entry.hasInstallScript === true,
      asksFor: Object.keys({ ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies }),
    }));
}

/** How npm names a package of a version, and lists of packages do. */
export function idOf({ name, version }: Pick<LockedPackage, "name" | "version">): string {
  return `${name}@${version}`;
}
