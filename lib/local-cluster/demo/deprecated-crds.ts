import { type DemoCrd, namespacedObjects, pick } from "./demo-crd.ts";
import { boolean, integer, string, strings } from "./schemas.ts";

const backupSpec = { schedule: string, retentionDays: integer, volumes: strings };
const mirrorSpec = { source: string, target: string };
const flagSpec = { flag: string, enabled: boolean, percentage: integer };

/** A deprecated version with its own warning. */
export const backupSchedules: DemoCrd = {
  group: "storage.example.com",
  kind: "BackupSchedule",
  plural: "backupschedules",
  scope: "Namespaced",
  versions: [
    {
      name: "v1beta1",
      deprecated: true,
      deprecationWarning:
        "storage.example.com/v1beta1 BackupSchedule goes away in release 2027.1; use storage.example.com/v1 (see go/backup-v1)",
      spec: backupSpec,
      columns: ["schedule"],
    },
    { name: "v1", storage: true, spec: backupSpec, columns: ["schedule", "retentionDays"] },
  ],
  createdAs: "v1beta1",
  fieldManager: "velvet-backup",
  objects: namespacedObjects(36, "volume-backup", (index) => ({
    schedule: `0 ${index % 6} * * *`,
    retentionDays: pick([7, 30, 90], index),
    volumes: [`data-${index}`],
  })),
};

/** The newer version is the deprecated one, withdrawn for the older that stays; no warning tells to go back. Flux owns it. */
export const imageMirrors: DemoCrd = {
  group: "registry.example.com",
  kind: "ImageMirror",
  plural: "imagemirrors",
  scope: "Namespaced",
  labels: { "kustomize.toolkit.fluxcd.io/name": "registry", "kustomize.toolkit.fluxcd.io/namespace": "flux-system" },
  versions: [
    { name: "v1", storage: true, spec: mirrorSpec, columns: ["source", "target"] },
    { name: "v2", deprecated: true, spec: mirrorSpec, columns: ["source", "target"] },
  ],
  fieldManager: "mirror-controller",
  objects: namespacedObjects(12, "mirror", (index) => ({
    source: `upstream.example.org/library/${pick(["nginx", "redis", "postgres"], index)}`,
    target: `registry.example.com/mirror/${pick(["nginx", "redis", "postgres"], index)}`,
  })),
};

/** A deprecated version with the API server's default warning; nothing is left over. */
export const featureFlags: DemoCrd = {
  group: "delivery.example.com",
  kind: "FeatureFlag",
  plural: "featureflags",
  shortNames: ["ff"],
  scope: "Namespaced",
  versions: [
    { name: "v1alpha1", deprecated: true, spec: flagSpec },
    { name: "v1", storage: true, spec: flagSpec, columns: ["flag", "enabled"] },
  ],
  fieldManager: "argocd-controller",
  labels: { "app.kubernetes.io/part-of": "argocd" },
  annotations: {
    "argocd.argoproj.io/tracking-id": "delivery:apiextensions.k8s.io/CustomResourceDefinition:/featureflags.delivery.example.com",
  },
  objects: namespacedObjects(24, "flag", (index) => ({
    flag: pick(["new-checkout", "dark-launch-search", "fast-refunds"], index),
    enabled: index % 3 !== 0,
    percentage: (index * 5) % 100,
  })),
};
