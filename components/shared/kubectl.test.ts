import { expect, it } from "vitest";
import { kubectlFor, pruneCommand, rewriteCommand } from "./kubectl.ts";

it("names the context, quoted for the shell", () => {
  expect(kubectlFor({ mode: "local" }, "kind-dev")).toBe("kubectl --context kind-dev");
  expect(kubectlFor(null, "it's a cluster/a b")).toBe(String.raw`kubectl --context 'it'\''s a cluster/a b'`);
});

it("omits a context that is not in the user's kubeconfig", () => {
  expect(kubectlFor({ mode: "local" }, "in-cluster")).toBe("kubectl");
  expect(kubectlFor({ mode: "token" }, "kind-dev")).toBe("kubectl");
});

const crd = {
  name: "crontabs.stable.example.com",
  plural: "crontabs",
  group: "stable.example.com",
  scope: "Namespaced" as const,
  storageVersion: "v1",
  resourceVersion: "42",
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

// `get -o name` leaves out the version, and kubectl patched at the one that discovery prefers: fields that it lacks were lost.
it.each(["Namespaced", "Cluster"] as const)("patches at the storage version: %s", (scope) => {
  const command = rewriteCommand("kubectl", { ...crd, scope });
  expect(command).toContain('kubectl patch crontabs.v1.stable.example.com "$name"');
  expect(command).not.toContain("-o name");
});
