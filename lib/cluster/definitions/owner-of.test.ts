import { expect, test } from "vitest";
import { type OwnerEvidence, ownerOf } from "./owner-of.ts";

const evidence = (changes: Partial<OwnerEvidence>): OwnerEvidence => ({
  labels: {},
  annotations: {},
  ownerReferences: [],
  specManagers: ["kubectl-client-side-apply"],
  ...changes,
});

test.each<[Partial<OwnerEvidence>, string | null]>([
  [{ annotations: { "meta.helm.sh/release-name": "tabs" }, labels: { "app.kubernetes.io/managed-by": "Helm" } }, "Helm (release tabs)"],
  [{ labels: { "kustomize.toolkit.fluxcd.io/name": "apps" } }, "Flux (apps)"],
  [{ labels: { "helm.toolkit.fluxcd.io/name": "cert-manager" } }, "Flux (Helm release cert-manager)"],
  [{ annotations: { "argocd.argoproj.io/tracking-id": "shop:apiextensions.k8s.io/CustomResourceDefinition:/x" } }, "Argo CD (shop)"],
  [{ labels: { "argocd.argoproj.io/instance": "shop" } }, "Argo CD (shop)"],
  [{ labels: { "operators.coreos.com/etcd.operators": "" } }, "OLM (etcd.operators)"],
  [{ labels: { "olm.operatorframework.io/owner-name": "argo" } }, "OLM (argo)"],
  [{ labels: { "olm.managed": "true" } }, "OLM"],
  [{ ownerReferences: [{ kind: "Provider", name: "aws", controller: true }] }, "Provider aws"],
  [{ specManagers: ["kubectl", "kustomize-controller"] }, "Flux (manager kustomize-controller)"],
  [{ specManagers: ["cert-manager-operator"] }, "a controller (manager cert-manager-operator)"],
  [{ labels: { "app.kubernetes.io/managed-by": "tanka" } }, "tanka"],
  [{ labels: { app: "x" } }, null],
  [{ specManagers: ["constructor"] }, null],
])("the owner by %j is %s", (changes, owner) => {
  expect(ownerOf(evidence(changes))).toBe(owner);
});

// The API server bounds neither an annotation nor the name of an owner.
test.each<[Partial<OwnerEvidence>, string]>([
  [{ annotations: { "meta.helm.sh/release-name": `\u202e${"x".repeat(1_000)}` } }, `Helm (release \uFFFD${"x".repeat(252)})`],
  [{ annotations: { "argocd.argoproj.io/tracking-id": "y".repeat(1_000) } }, `Argo CD (${"y".repeat(253)})`],
  [{ ownerReferences: [{ kind: "\u2066K", name: "z".repeat(1_000), controller: true }] }, `\uFFFDK ${"z".repeat(253)}`],
])("a name that somebody else wrote is cut, and turns no text", (changes, owner) => {
  expect(ownerOf(evidence(changes))).toBe(owner);
});
