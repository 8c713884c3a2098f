/** The releases of Kubernetes that crdshift is tested with, as the modules in go/kubernetes pin them, oldest first. */
export const kubernetesReleases = ["1.34.4", "1.35.4", "1.36.3", "1.37.2"] as const;

export type KubernetesRelease = (typeof kubernetesReleases)[number];

/** What the local cluster runs unless `KUBERNETES_VERSION` names another release. */
export const defaultRelease: KubernetesRelease = "1.37.2";

/**
 * The last release whose API server empties managedFields that it can't update, and lets no object be updated in a namespace that is gone.
 * From 1.37 on it leaves the former as they are (apimachinery/pkg/util/managedfields/internal/fieldmanager.go, UpdateNoErrors) and allows
 * the latter (apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go).
 */
export const olderRelease: KubernetesRelease = "1.36.3";

/** Whether the API server of this release empties managedFields that it can't update. */
export function emptiesManagedFields(release: string): boolean {
  return minorNumber(release) <= minorNumber(olderRelease);
}

/** The release that `KUBERNETES_VERSION` names, as `1.36` or `1.36.3`; the default where it is unset. Throws with those to choose from. */
export function kubernetesRelease(named: string | undefined): KubernetesRelease {
  if (!named) return defaultRelease;
  const release = kubernetesReleases.find((known) => known === named || minorOf(known) === named);
  if (release) return release;
  throw new Error(`KUBERNETES_VERSION is ${JSON.stringify(named)}. Set it to one of ${kubernetesReleases.join(", ")}, or leave it unset.`);
}

/** `1.36` of `1.36.3`. */
export function minorOf(release: string): string {
  return release.split(".").slice(0, 2).join(".");
}

/** 36 of `1.36.3` or `v1.36.3`. */
export function minorNumber(release: string): number {
  return Number(release.split(".")[1]);
}

/**
 * The API of a release's own migration engine, storagemigration.k8s.io, at a version that crdshift speaks (migrationApiOf). Up to 1.34
 * there is only v1alpha1.
 */
export function migrationApi(release: string): string | null {
  const minor = minorNumber(release);
  if (minor >= 37) return "storagemigration.k8s.io/v1";
  return minor >= 35 ? "storagemigration.k8s.io/v1beta1" : null;
}
