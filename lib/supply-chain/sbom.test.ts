import { expect, test, vi } from "vitest";
import packageJson from "#package.json" with { type: "json" };
import { idOf, readLock } from "./lock.ts";
import { makeSbom } from "./sbom.ts";

// On a busy machine npm alone takes seconds.
vi.setConfig({ testTimeout: 60_000 });

test("the bill of materials lists each production package with version, hash and license, and nothing else", async () => {
  const sbom = await makeSbom();
  const locked = (await readLock()).filter(({ isProduction }) => isProduction);
  expect(new Set(sbom.components.map(idOf))).toEqual(new Set(locked.map(idOf)));
  for (const one of locked) {
    const component = sbom.components.find((listed) => idOf(listed) === idOf(one));
    // A package that comes inside another one has no hash, unless it is installed by itself, too.
    const integrity = locked.find((other) => idOf(other) === idOf(one) && !other.isBundled)?.integrity;
    const hash = Buffer.from((integrity ?? "").replace("sha512-", ""), "base64").toString("hex");
    expect(component?.hashes, one.name).toEqual(integrity === undefined ? undefined : [{ alg: "SHA-512", content: hash }]);
    expect(component?.licenses, one.name).toHaveLength(1);
  }
  expect(sbom.components).toHaveLength(new Set(locked.map(idOf)).size);
  const refs = new Set([`crdshift@${packageJson.version}`, ...sbom.components.map((one) => one["bom-ref"])]);
  expect(new Set(sbom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn])).difference(refs)).toEqual(new Set());
});

test("the bill of materials is the same for the same lock file", async () => {
  const [first, second] = await Promise.all([makeSbom(), makeSbom()]);
  expect(JSON.stringify(first)).toBe(JSON.stringify(second));
  expect(JSON.stringify(first)).not.toMatch(/"(?:timestamp|serialNumber)"/);
});
