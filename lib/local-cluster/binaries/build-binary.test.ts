import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { binaryVersions } from "./build-binary.ts";
import { kubernetesReleases, minorOf } from "./kubernetes-release.ts";

const goMod = (module: string) => readFileSync(new URL(`./go/${module}/go.mod`, import.meta.url), "utf8");

test("the versions to build are those that the Go modules pin", () => {
  expect(goMod("etcd")).toContain(`go.etcd.io/etcd/server/v3 v${binaryVersions.etcd}`);
  expect(goMod("helm")).toContain(`helm.sh/helm/v3 v${binaryVersions.helm}`);
});

test.each(kubernetesReleases)("Kubernetes %s is pinned, and so is every staging module at the matching release", (release) => {
  const module = goMod(`kubernetes/${minorOf(release)}`);
  expect(module).toContain(`k8s.io/kubernetes v${release}`);
  const replacements = [...module.matchAll(/=> (\S+) (\S+)/g)];
  expect(replacements.length).toBeGreaterThan(30);
  expect(new Set(replacements.map(([, , version]) => version))).toEqual(new Set([`v${release.replace(/^1\./, "0.")}`]));
});
