import { spawnSync } from "node:child_process";
import { stringify } from "yaml";
import { findProgram } from "#lib/local-cluster/binaries/find-program.ts";

/** Runs kubectl with this on its standard input. Gives what it printed; what it refuses is thrown. */
export type Kubectl = (args: string[], documents?: object[]) => string;

const TIMEOUT_MS = 60_000;

/** kubectl as the administrator of a cluster. */
export async function openKubectl(cluster: { kubeconfig: string }): Promise<Kubectl> {
  const kubectl = await findProgram("kubectl");
  return (args, documents) => {
    const input = documents ? { input: documents.map((document) => stringify(document)).join("---\n") } : {};
    const all = ["--kubeconfig", cluster.kubeconfig, ...args];
    const { status, stdout, stderr, error } = spawnSync(kubectl, all, { ...input, encoding: "utf8", timeout: TIMEOUT_MS });
    if (status !== 0) throw new Error(`kubectl ${args.join(" ")}: ${error ?? stderr}`);
    return stdout;
  };
}
