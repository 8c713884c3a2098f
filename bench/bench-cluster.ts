import { execFile } from "node:child_process";
import { cpus, release, totalmem, type } from "node:os";
import { promisify } from "node:util";
import { connect } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { type ApiClient, apiClient } from "#lib/local-cluster/api-client.ts";
import { findProgram } from "#lib/local-cluster/binaries/find-program.ts";
import { postToEtcd } from "#lib/local-cluster/etcd.ts";
import { type LocalCluster, startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { chooseKubeconfig } from "#lib/settings/env.ts";

/** The cluster that everything is measured on. */
export interface BenchCluster extends LocalCluster {
  /** The administrator, who creates the measured objects. */
  api: ApiClient;
  /** The connection as crdshift itself uses it. */
  connection: Connection;
}

/** Starts etcd, the API server and, for its own engine, kube-controller-manager. */
export async function startBenchCluster(): Promise<BenchCluster> {
  const cluster = await startLocalCluster({ controllerManager: true, log: console.error });
  chooseKubeconfig(cluster.kubeconfig);
  return { ...cluster, api: apiClient(cluster), connection: await connect(cluster.context) };
}

/** The hardware and versions of a measurement. */
export interface Machine {
  /** CPU, cores, memory and kernel. */
  hardware: string;
  /** The API server's version, without a v. */
  kubernetes: string;
  /** All versions, as one line. */
  versions: string;
}

const run = promisify(execFile);
/** The bench's own results don't count as changes. */
const measured = [":/", ":(top,exclude)bench/RESULTS.md", ":(top,exclude)components/engines/measured.json"];

export async function describeMachine({ api, etcd }: BenchCluster): Promise<Machine> {
  const kubectl = await findProgram("kubectl");
  const { gitVersion } = await api.get<{ gitVersion: string }>("/version");
  const { version: etcdserver } = (await postToEtcd(etcd, "/v3/maintenance/status", {})) as { version: string };
  const client = JSON.parse((await run(kubectl, ["version", "--client", "--output=json"])).stdout) as {
    clientVersion: { gitVersion: string };
  };
  const kubernetes = gitVersion.replace(/^v/, "");
  const [cpu] = cpus();
  return {
    hardware: `${cpu?.model}, ${cpus().length} cores, ${Math.round(totalmem() / 1_024 ** 3)} GiB, ${type()} ${release()}`,
    kubernetes,
    versions: [
      `crdshift ${await commit()}`,
      `Node ${process.versions.node}`,
      `Kubernetes ${kubernetes}`,
      `etcd ${etcdserver}`,
      `kubectl ${client.clientVersion.gitVersion.replace(/^v/, "")}`,
    ].join(", "),
  };
}

async function commit(): Promise<string> {
  try {
    const git = async (...args: string[]) => (await run("git", args, { cwd: import.meta.dirname })).stdout.trim();
    const changed = (await git("status", "--porcelain", "--untracked-files=no", "--", ...measured)) !== "";
    return `${await git("rev-parse", "--short", "HEAD")}${changed ? " with changes" : ""}`;
  } catch {
    return "of no git checkout";
  }
}
