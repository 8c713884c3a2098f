import { readFile } from "node:fs/promises";

/** A package in package-lock.json. */
export interface LockedPackage {
  /** The install location, such as `node_modules/next/node_modules/postcss`. */
  path: string;
  name: string;
  version: string;
  /** Hash of its content, such as `sha512-…`. One that comes inside another package has none: that package's hash covers it. */
  integrity: string | undefined;
  /** Whether it comes inside the package that it is installed in. */
  isBundled: boolean;
  /** The source address, if not the configured registry. */
  resolved: string | undefined;
  /** The license that the package declares, mostly an SPDX expression. */
  license: string;
  /** Whether crdshift needs it outside tests and checks. */
  isProduction: boolean;
  /** Whether it may be missing, usually because it is for another platform. */
  isOptional: boolean;
  hasInstallScript: boolean;
  /** The names of its dependencies. */
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
  inBundle?: boolean;
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
      license: entry.license ?? "",
      isProduction: entry.dev !== true,
      isOptional: entry.optional === true,
      hasInstallScript: entry.hasInstallScript === true,
      isBundled: entry.inBundle === true,
      asksFor: Object.keys({ ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies }),
    }));
}

/** `name@version`, as npm and package lists write it. */
export function idOf({ name, version }: Pick<LockedPackage, "name" | "version">): string {
  return `${name}@${version}`;
}
