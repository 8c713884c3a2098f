import { constants } from "node:fs";
import { access } from "node:fs/promises";
import path from "node:path";
import { localClusterEnvironment } from "#lib/local-cluster/environment.ts";
import { binaryVersions } from "./binary-versions.ts";
import { type BinaryName, buildBinary } from "./build-binary.ts";

export interface Binaries {
  etcd: string;
  kubeApiserver: string;
  kubeControllerManager: string;
  kubectl: string;
}

/**
 * Paths of the programs a local cluster is made of, each from the first of these that has it: `$KUBEBUILDER_ASSETS`
 * (the layout of setup-envtest), `PATH`, the user's cache folder. What none of them has is built with Go into the cache
 * folder, which takes about six minutes on two cores. Fails with what to do when that needs Go and there is none.
 */
export async function findBinaries(options: { log?: (line: string) => void; signal?: AbortSignal } = {}): Promise<Binaries> {
  const { assetsDirectory, pathDirectories, cacheDirectory } = localClusterEnvironment();
  const { kubernetes, etcd } = binaryVersions;
  const cache = path.join(cacheDirectory, "envtest", `${kubernetes}-etcd-${etcd}`);
  const directories = [...(assetsDirectory ? [assetsDirectory] : []), ...pathDirectories, cache];

  const binary = async (name: BinaryName): Promise<string> => {
    const found = await firstExecutable(directories, name);
    if (!found) await buildBinary(name, { directory: cache, ...options });
    return found ?? path.join(cache, name);
  };
  return {
    etcd: await binary("etcd"),
    kubeApiserver: await binary("kube-apiserver"),
    kubeControllerManager: await binary("kube-controller-manager"),
    kubectl: await binary("kubectl"),
  };
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
