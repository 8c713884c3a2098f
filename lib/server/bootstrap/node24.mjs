/** Path, from the project's folder, of the Node that comes with the dependencies: everything but the bootstrap runs on it. */
export const node24 = "node_modules/.bin/node";
