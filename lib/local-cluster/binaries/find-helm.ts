import { access, constants } from "node:fs/promises";
import path from "node:path";
import { localClusterEnvironment } from "#lib/local-cluster/environment.ts";
import { binaryVersions } from "./binary-versions.ts";
import { buildBinary } from "./build-binary.ts";

/**
 * Path of Helm at the pinned version and no other, since what another renders may differ. Built with Go into the user's cache folder
 * if it is not there, which takes about a minute on two cores.
 */
export async function findHelm(options: { log?: (line: string) => void; signal?: AbortSignal } = {}): Promise<string> {
  const directory = path.join(localClusterEnvironment().cacheDirectory, "helm", binaryVersions.helm);
  const file = path.join(directory, "helm");
  const isBuilt = await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isBuilt) await buildBinary("helm", { directory, ...options });
  return file;
}
