const kinds = /** @type {const} */ (["dependencies", "devDependencies", "optionalDependencies"]);

/**
 * The dependencies that package.json asks for otherwise than package-lock.json was made for: npm would choose their versions itself.
 * @param {Dependencies} project what package.json holds
 * @param {Dependencies} locked what package-lock.json holds of it
 * @typedef {Partial<Record<"dependencies" | "devDependencies" | "optionalDependencies", Record<string, string>>>} Dependencies
 */
export function lockDifferences(project, locked) {
  return kinds.flatMap((kind) => {
    const [asked, known] = [project[kind] ?? {}, locked[kind] ?? {}];
    return Object.keys({ ...asked, ...known }).filter((name) => asked[name] !== known[name]);
  });
}
