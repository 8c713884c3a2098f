import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { readLock } from "./lock.ts";
import { EXCEPTIONS, isLicenseAllowed, LICENSE_FILE, listLicenses } from "./third-party-licenses.ts";

test("every production package has an allowed license", async () => {
  const lock = (await readLock()).filter(({ isProduction }) => isProduction);
  const refused = lock
    .filter(({ name, license }) => !isLicenseAllowed(name, license))
    .map(({ name, license }) => `${name}: ${license || "none"}`);
  const hint =
    "Read the license. If it only requires keeping its text, allow it in lib/supply-chain/third-party-licenses.ts. If it is acceptable for this " +
    "package only, add it there as an exception with the reason. Otherwise, use another package.";
  expect(refused, hint).toEqual([]);
  const unused = EXCEPTIONS.filter((one) => !lock.some(({ name, license }) => one.packages.test(name) && license.includes(one.license)));
  expect(unused, "exceptions that no package needs").toEqual([]);
});

test("the lock file and the packages name the same licenses", async () => {
  for (const { path: folder, license } of (await readLock()).filter(({ isProduction }) => isProduction)) {
    if (!existsSync(folder)) continue;
    const { license: declared } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
    expect(license, folder).toBe(declared);
  }
});

test.each([
  ["MIT", true],
  ["(MIT OR GPL-3.0-only)", true],
  ["Apache-2.0 AND MIT", true],
  ["Apache-2.0 AND GPL-3.0-only", false],
  ["(MIT OR GPL-3.0-only) AND SSPL-1.0", false],
  ["SSPL-1.0 AND (GPL-3.0-only OR MIT)", false],
  ["LGPL-3.0-or-later", false],
  ["MPL-2.0", false],
  ["SEE LICENSE IN LICENSE.txt", false],
  ["UNLICENSED", false],
  ["", false],
])("a package with the license %s is allowed: %s", (license, isAllowed) => {
  expect(isLicenseAllowed("left-pad", license)).toBe(isAllowed);
});

test(`${LICENSE_FILE} is up to date`, async () => {
  expect(await readFile(LICENSE_FILE, "utf8"), "Run npm run licenses and review the changes.").toBe(await listLicenses());
});
