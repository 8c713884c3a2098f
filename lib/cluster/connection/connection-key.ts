import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { KubeConfig } from "@kubernetes/client-node";

/** A connection's key: the context's name and all its credentials, including certificates renewed on disk. */
export function connectionKey(name: string, config: KubeConfig): string {
  const hash = createHash("sha256").update(config.exportConfig());
  const { certFile, keyFile } = config.getCurrentUser() ?? {};
  for (const file of [config.getCurrentCluster()?.caFile, certFile, keyFile]) {
    if (file && existsSync(/* turbopackIgnore: true */ file)) hash.update(readFileSync(/* turbopackIgnore: true */ file));
  }
  return `${name}\n${hash.digest("hex")}`;
}
