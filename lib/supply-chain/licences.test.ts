import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { EXCEPTIONS, isLicenceAllowed } from "./licence-policy.ts";
import { readLock } from "./lock.ts";
import { LICENCE_FILE, listLicences } from "./third-party-licences.ts";

test("every production package has an allowed licence", async () => {
  const lock = (await readLock()).filter(({ isProduction }) => isProduction);
  const refused = lock
    .filter(({ name, licence }) => !isLicenceAllowed(name, licence))
    .map(({ name, licence }) => `${name}: ${licence || "none"}`);
  const hint =
    "Read the licence. If it only requires keeping its text, allow it in lib/supply-chain/licence-policy.ts. If it is acceptable for this " +
    "package only, add it there as an exception with the reason. Otherwise, use another package.";
  expect(refused, hint).toEqual([]);
  const unused = EXCEPTIONS.filter((one) => !lock.some(({ name, licence }) => one.packages.test(name) && licence.includes(one.licence)));
  expect(unused, "exceptions that no package needs").toEqual([]);
});

test("the lock file and the packages name the same licences", async () => {
  for (const { path: folder, licence } of (await readLock()).filter(({ isProduction }) => isProduction)) {
    if (!existsSync(folder)) continue;
    const { license } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
    expect(license, folder).toBe(licence);
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
])("a package with the licence %s is allowed: %s", (licence, isAllowed) => {
  expect(isLicenceAllowed("left-pad", licence)).toBe(isAllowed);
});

test(`${LICENCE_FILE} is up to date`, async () => {
  expect(await readFile(LICENCE_FILE, "utf8"), "Run npm run licenses and review the changes.").toBe(await listLicences());
});
