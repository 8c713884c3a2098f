import { expect, test } from "vitest";
import { canIcommand, clusterRoleYaml, guardedActions, neededRights, rightWords } from "./needed-rights.ts";

const widgets = { name: "widgets.example.com", group: "example.com", plural: "widgets" };

test("every action names the rights that it takes, on the objects, the definition, or its status", () => {
  const words = Object.fromEntries(guardedActions.map((action) => [action, neededRights(widgets, action).map(rightWords)]));
  expect(words).toEqual({
    "dry-run": [
      "get customresourcedefinitions.apiextensions.k8s.io",
      "list widgets.example.com",
      "get widgets.example.com",
      "patch widgets.example.com",
    ],
    rewrite: [
      "get customresourcedefinitions.apiextensions.k8s.io",
      "list widgets.example.com",
      "patch widgets.example.com",
      "get widgets.example.com",
      "patch customresourcedefinitions.apiextensions.k8s.io",
    ],
    prune: [
      "get customresourcedefinitions.apiextensions.k8s.io",
      "patch customresourcedefinitions.apiextensions.k8s.io",
      "patch customresourcedefinitions.apiextensions.k8s.io/status",
    ],
    "change-spec": ["get customresourcedefinitions.apiextensions.k8s.io", "patch customresourcedefinitions.apiextensions.k8s.io"],
    control: ["get customresourcedefinitions.apiextensions.k8s.io", "patch customresourcedefinitions.apiextensions.k8s.io"],
    clean: [
      "get customresourcedefinitions.apiextensions.k8s.io",
      "list widgets.example.com",
      "get widgets.example.com",
      "patch widgets.example.com",
    ],
  });
});

test("a right can be asked for with kubectl, and given with a ClusterRole", () => {
  const rights = neededRights(widgets, "prune");
  expect(rights.map((right) => canIcommand("kubectl", right))).toEqual([
    "kubectl auth can-i get customresourcedefinitions.apiextensions.k8s.io/widgets.example.com",
    "kubectl auth can-i patch customresourcedefinitions.apiextensions.k8s.io/widgets.example.com",
    "kubectl auth can-i patch customresourcedefinitions.apiextensions.k8s.io/widgets.example.com --subresource=status",
  ]);
  expect(clusterRoleYaml("crdshift-widgets", rights)).toBe(`apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: crdshift-widgets
rules:
  - apiGroups: ["apiextensions.k8s.io"]
    resources: ["customresourcedefinitions"]
    resourceNames: ["widgets.example.com"]
    verbs: ["get"]
  - apiGroups: ["apiextensions.k8s.io"]
    resources: ["customresourcedefinitions"]
    resourceNames: ["widgets.example.com"]
    verbs: ["patch"]
  - apiGroups: ["apiextensions.k8s.io"]
    resources: ["customresourcedefinitions/status"]
    resourceNames: ["widgets.example.com"]
    verbs: ["patch"]`);
});
