/** The path, from the project's folder, of the Node among the dependencies, which runs everything except the bootstrap. */
export const node24 = "node_modules/.bin/node";
