import { readFile } from "node:fs/promises";
import path from "node:path";
import { spdxOf } from "./licence-policy.ts";
import { idOf, type LockedPackage, readLock } from "./lock.ts";

/** The file with the list. */
export const LICENCE_FILE = "THIRD-PARTY-LICENSES.md";

const HEAD = `# Third-party licences

The packages in package-lock.json that crdshift is built from or runs on, including those for other platforms.
Packages that only tests and checks need are left out. \`npm run licenses\` writes this file.

`;

const COLUMNS = ["package", "version", "licence", "repository"];

/** The content of THIRD-PARTY-LICENSES.md, the same on every platform. */
export async function listLicences(): Promise<string> {
  const lock = await readLock();
  const packages = new Map(lock.filter(({ isProduction }) => isProduction).map((locked) => [idOf(locked), locked]));
  const rows = [...packages.values()].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  const cells = rows.map(async (locked) => {
    const origin = locked.isOptional ? `comes with ${askedForBy(locked, lock)}` : await repositoryOf(locked);
    return [locked.name, locked.version, spdxOf(locked.licence), origin];
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
