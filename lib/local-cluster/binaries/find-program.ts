import { constants } from "node:fs";
import { access } from "node:fs/promises";
import path from "node:path";
import { localClusterEnvironment } from "#lib/local-cluster/environment.ts";
import { type BinaryName, binaryVersions, buildBinary } from "./build-binary.ts";
import { type KubernetesRelease, kubernetesRelease, olderRelease } from "./kubernetes-release.ts";

export interface FindOptions {
  /** For this release of Kubernetes, and from the cache folder only. By default, the one that `KUBERNETES_VERSION` names, or the newest. */
  release?: KubernetesRelease;
  log?: (line: string) => void;
  signal?: AbortSignal;
}

/**
 * Path of a program that a local cluster is made of, from the first of these that has it: `$KUBEBUILDER_ASSETS` (the layout of
 * setup-envtest), `PATH`, the user's cache folder. A release that is asked for comes from the cache folder only, and Helm, too, since what
 * another renders may differ. What is in none of them is built with Go into the cache folder: all take about ten minutes on two cores.
 * Fails with what to do when that needs Go and there is none.
 */
export async function findProgram(name: BinaryName, { release: asked, ...options }: FindOptions = {}): Promise<string> {
  const { assetsDirectory, pathDirectories, cacheDirectory, kubernetesVersion } = localClusterEnvironment();
  const release = asked ?? kubernetesRelease(kubernetesVersion);
  const installed = [...(assetsDirectory ? [assetsDirectory] : []), ...pathDirectories];
  const directory = path.join(cacheDirectory, ...cacheFolder(name, release));
  const isPinned = name === "helm" || (name !== "etcd" && (asked !== undefined || kubernetesVersion !== undefined));
  const found = await firstExecutable([...(isPinned ? [] : installed), directory], name);
  if (!found) await buildBinary(name, { directory, release, ...options });
  return found ?? path.join(directory, name);
}

function cacheFolder(name: BinaryName, release: KubernetesRelease): [program: string, version: string] {
  return name === "etcd" || name === "helm" ? [name, binaryVersions[name]] : ["kubernetes", release];
}

async function firstExecutable(directories: string[], name: string): Promise<string | undefined> {
  for (const directory of directories) {
    const file = path.join(directory, name);
    const isExecutable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return file;
  }
  return undefined;
}

// As a program: finds or builds them all, so that no test that needs them has to wait later.
if (import.meta.main) {
  try {
    const log = (line: string) => console.log(line);
    for (const name of ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl", "helm"] as const) await findProgram(name, { log });
    await findProgram("kube-apiserver", { release: olderRelease, log });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
