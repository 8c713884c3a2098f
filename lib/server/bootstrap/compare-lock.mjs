/**
 * Whether npm's record of node_modules matches package-lock.json.
 * @param {Record<string, LockedPackage>} wanted
 * @param {Record<string, LockedPackage>} installed
 * @typedef {{ version?: string, integrity?: string, optional?: boolean }} LockedPackage
 */
export function isInstalled(wanted, installed) {
  return notAsLocked(wanted, installed).length === 0;
}

/**
 * The packages that are missing, differ from package-lock.json, or aren't in it. Optional packages may be missing: they are for other
 * platforms.
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

const kinds = /** @type {const} */ (["dependencies", "devDependencies", "optionalDependencies"]);

/**
 * The dependencies that differ between package.json and package-lock.json; npm would choose their versions itself.
 * @param {Dependencies} project from package.json
 * @param {Dependencies} locked from the root package in package-lock.json
 * @typedef {Partial<Record<"dependencies" | "devDependencies" | "optionalDependencies", Record<string, string>>>} Dependencies
 */
export function lockDifferences(project, locked) {
  return kinds.flatMap((kind) => {
    const [asked, known] = [project[kind] ?? {}, locked[kind] ?? {}];
    return Object.keys({ ...asked, ...known }).filter((name) => asked[name] !== known[name]);
  });
}
