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
