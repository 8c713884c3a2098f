/**
 * Whether what npm recorded of node_modules is what package-lock.json asks for. Optional packages may be missing: they
 * are those of other platforms.
 * @param {Record<string, LockedPackage>} wanted
 * @param {Record<string, LockedPackage>} installed
 * @typedef {{ version?: string, integrity?: string, optional?: boolean }} LockedPackage
 */
export function isInstalled(wanted, installed) {
  const isAsWanted = Object.entries(wanted).every(([name, { version, integrity, optional }]) => {
    if (name === "") return true;
    const present = installed[name];
    return present ? present.version === version && present.integrity === integrity : optional === true;
  });
  return isAsWanted && Object.keys(installed).every((name) => name in wanted);
}
