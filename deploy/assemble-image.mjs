/**
 * Copies what the image needs at run time out of a built checkout into a folder: node deploy/assemble-image.mjs FOLDER.
 * What that is says image-files.json: files of the checkout, and packages with all that they depend on.
 */
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
/** @type {{ files: string[], packages: string[], without: string[] }} */
const { files, packages, without } = readJson(path.join(import.meta.dirname, "image-files.json"));
const [target] = process.argv.slice(2);
if (!target) throw new Error("Name the folder to copy to: node deploy/assemble-image.mjs FOLDER");
if (existsSync(target)) throw new Error(`${target} is there already: name a folder that is not.`);
for (const file of [".next/BUILD_ID", "dist-server/main.mjs"]) {
  if (!existsSync(path.join(root, file))) throw new Error(`There is no ${file}: run npm run build first.`);
}

mkdirSync(target, { recursive: true });
for (const file of [...files, ...packageFolders()]) {
  cpSync(path.join(root, file), path.join(target, file), { recursive: true, verbatimSymlinks: true, filter: isWanted });
}

/** @param {string} file */
function isWanted(file) {
  return !file.endsWith(".map") && !without.includes(path.relative(root, file));
}

/**
 * The folders of the packages and of what they can't do without, from the project's. Optional dependencies stay out: compilers and
 * a resizer of pictures, which only a build or a page with pictures asks for.
 */
function packageFolders() {
  /** @type {Set<string>} */
  const found = new Set();
  /** @param {string} name @param {string} from */
  const add = (name, from) => {
    const folder = folderOf(name, from);
    if (found.has(folder)) return;
    found.add(folder);
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = readJson(path.join(root, folder, "package.json"));
    const peers = Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional);
    for (const needed of [...Object.keys(dependencies), ...peers]) add(needed, folder);
  };
  for (const name of packages) add(name, "");
  // What lies inside another package's folder comes with it.
  return [...found].filter((folder) => ![...found].some((other) => folder.startsWith(`${other}/`)));
}

/**
 * Where Node finds a package when a file of that folder asks for it.
 * @param {string} name
 * @param {string} from
 */
function folderOf(name, from) {
  const searched = createRequire(path.join(root, from, "package.json")).resolve.paths(name) ?? [];
  const folder = searched
    .map((directory) => path.join(directory, name))
    .find((candidate) => existsSync(path.join(candidate, "package.json")));
  if (!folder?.startsWith(root + path.sep))
    throw new Error(`${name} is not installed, and ${from || "the image"} needs it: run npm install.`);
  return path.relative(root, folder);
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
