/**
 * Whether what npm recorded of node_modules is what package-lock.json asks for.
 * @param {Record<string, LockedPackage>} wanted
 * @param {Record<string, LockedPackage>} installed
 * @typedef {{ version?: string, integrity?: string, optional?: boolean }} LockedPackage
 */
export function isInstalled(wanted, installed) {
  return notAsLocked(wanted, installed).length === 0;
}

/**
 * The packages that are missing, another one than package-lock.json asks for, or not in it at all. Optional packages may be missing:
 * they are those of other platforms.
 * @param {Record<string, LockedPackage>} wanted
 * @param {Record<string, LockedPackage>} installed
 */
export function notAsLocked(wanted, installed) {
  /** @param {[string, LockedPackage]} entry */
  const isAsWanted = ([name, { version, integrity, optional }]) => {
    if (name === "") return true;
    const present = installed[name];
    return present ? present.version === version && present.integrity === integrity : optional === true;
  };
  const different = Object.entries(wanted).filter((entry) => !isAsWanted(entry));
  return [...different.map(([name]) => name), ...Object.keys(installed).filter((name) => !(name in wanted))];
}
