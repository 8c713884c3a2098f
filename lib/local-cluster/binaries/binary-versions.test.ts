import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { binaryVersions } from "./binary-versions.ts";

const goMod = (module: string) => readFileSync(new URL(`./go/${module}/go.mod`, import.meta.url), "utf8");

test("names the versions that the Go modules pin", () => {
  expect(goMod("kubernetes")).toContain(`k8s.io/kubernetes v${binaryVersions.kubernetes}`);
  expect(goMod("etcd")).toContain(`go.etcd.io/etcd/server/v3 v${binaryVersions.etcd}`);
  expect(goMod("helm")).toContain(`helm.sh/helm/v3 v${binaryVersions.helm}`);
});

test("replaces every staging module by the release that belongs to it", () => {
  const release = binaryVersions.kubernetes.replace(/^1\./, "0.");
  const replacements = [...goMod("kubernetes").matchAll(/=> (\S+) (\S+)/g)];
  expect(replacements).toHaveLength(33);
  expect(new Set(replacements.map(([, , version]) => version))).toEqual(new Set([`v${release}`]));
});
