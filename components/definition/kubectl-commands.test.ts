import { expect, it } from "vitest";
import { pruneCommand, rewriteCommand } from "./kubectl-commands.ts";

const crd = {
  name: "crontabs.stable.example.com",
  plural: "crontabs",
  group: "stable.example.com",
  scope: "Namespaced" as const,
  storageVersion: "v1",
  resourceVersion: "42",
  storedVersions: ["v1beta1", "v1"],
  leftoverVersions: ["v1beta1"],
};

it("prunes with the resourceVersion that was read", () => {
  expect(pruneCommand("kubectl", crd)).toBe(
    "kubectl patch customresourcedefinition crontabs.stable.example.com --subresource=status --type=merge \\\n" +
      `  -p '{"metadata":{"resourceVersion":"42"},"status":{"storedVersions":["v1"]}}'`,
  );
});

it("covers all namespaces", () => {
  expect(rewriteCommand("kubectl", crd)).toContain("kubectl get crontabs.v1.stable.example.com --all-namespaces");
});

it("uses no namespace for a cluster-scoped definition", () => {
  expect(rewriteCommand("kubectl", { ...crd, scope: "Cluster" })).not.toContain("namespace");
});
