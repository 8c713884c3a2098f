import { readFile } from "node:fs/promises";
import path from "node:path";
import { idOf, type LockedPackage, readLock } from "./lock.ts";

/** The file with the list. */
export const LICENSE_FILE = "THIRD-PARTY-LICENSES.md";

const HEAD = `# Third-party licenses

The packages in package-lock.json that crdshift is built from or runs on, including those for other platforms.
Packages that only tests and checks need are left out. \`npm run licenses\` writes this file.

`;

const COLUMNS = ["package", "version", "license", "repository"];

/** The content of THIRD-PARTY-LICENSES.md, the same on every platform. */
export async function listLicenses(): Promise<string> {
  const lock = await readLock();
  const packages = new Map(lock.filter(({ isProduction }) => isProduction).map((locked) => [idOf(locked), locked]));
  const rows = [...packages.values()].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  const cells = rows.map(async (locked) => {
    const origin = locked.isOptional ? `comes with ${askedForBy(locked, lock)}` : await repositoryOf(locked);
    return [locked.name, locked.version, spdxOf(locked.license), origin];
  });
  return HEAD + table([COLUMNS, ...(await Promise.all(cells))]);
}

// Formatted like the formatter does.
function table(rows: string[][]): string {
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const rule = widths.map((width) => "-".repeat(width));
  return rows
    .toSpliced(1, 0, rule)
    .map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |\n`)
    .join("");
}

// Optional packages may not be installed, and then their repository is unknown.
function askedForBy({ name, path: installedAt }: LockedPackage, lock: LockedPackage[]): string {
  const folder = installedAt.slice(0, installedAt.lastIndexOf("node_modules/"));
  const asking = lock.filter(
    (locked) => locked.isProduction && locked.path.startsWith(folder.slice(0, -1)) && locked.asksFor.includes(name),
  );
  return asking.map((locked) => locked.name).sort()[0] ?? "crdshift: it is the Node to run on";
}

async function repositoryOf({ path: folder }: LockedPackage): Promise<string> {
  const { repository } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  const address: string = repository?.url ?? repository ?? "not given";
  return address
    .replace(/^git\+/, "")
    .replace(/^(?:(?:git|ssh|http):\/\/(?:git@)?|git@(?=[^:]+:))/, "https://")
    .replace(/^(https:\/\/[\w.]+):(?=\D)/, "$1/")
    .replace(/^(?:github:)?([\w.-]+\/[\w.-]+)$/, "https://github.com/$1")
    .replace(/\.git$/, "");
}

/** SPDX ids of licenses that only require keeping their text. */
const ALLOWED = ["0BSD", "Apache-2.0", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "OFL-1.1"];

/** SPDX ids for non-standard names that some packages use. */
const MEANT: Record<string, string> = { "SIL OPEN FONT LICENSE": "OFL-1.1" };

/** Other licenses, each allowed for certain packages, with the reason. */
export const EXCEPTIONS: { packages: RegExp; license: string; reason: string }[] = [
  { packages: /^argparse$/, license: "PSF-2.0", reason: "Python's own license: permissive." },
  { packages: /^stream-buffers$/, license: "Unlicense", reason: "Public domain." },
  {
    packages: /^caniuse-lite$/,
    license: "CC-BY-4.0",
    reason: "Browser data that Next's build reads; credited in the list of licenses.",
  },
  {
    packages: /^lightningcss(-|$)/,
    license: "MPL-2.0",
    reason: "File-level copyleft: used unchanged to compile CSS at build time; the output contains no part of it.",
  },
  {
    packages: /^@img\/sharp-(libvips-|wasm32|win32-)/,
    license: "LGPL-3.0-or-later",
    reason: "An unchanged, replaceable shared library that Next installs for images. crdshift resizes none.",
  },
];

/** The SPDX expression for a package's license. */
export function spdxOf(license: string): string {
  return MEANT[license] ?? license;
}

/** Whether a package may have this license. OR needs one allowed license, AND needs all; a mix of both counts as AND. */
export function isLicenseAllowed(name: string, license: string): boolean {
  const expression = spdxOf(license).replace(/[()]/g, "");
  const ids = expression.split(/ (?:AND|OR) /);
  const isAllowed = (id: string) =>
    ALLOWED.includes(id) || EXCEPTIONS.some((exception) => exception.license === id && exception.packages.test(name));
  return expression.includes(" AND ") ? ids.every(isAllowed) : ids.some(isAllowed);
}
