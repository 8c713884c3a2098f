import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { BinaryName } from "./binaries/build-binary.ts";
import { findProgram } from "./binaries/find-program.ts";
import { type KubernetesRelease, migrationApi } from "./binaries/kubernetes-release.ts";
import { logElapsed } from "./binaries/log-elapsed.ts";
import { type Etcd, postToEtcd } from "./etcd.ts";
import { forkSupervisor, type Supervisor } from "./programs/fork-supervisor.ts";
import { etcdArguments, migrationApiArguments, startApiServer, startControllerManager } from "./programs/start-control-plane.ts";
import { freePort, type Program, runUntilReady } from "./programs/start-program.ts";
import { writeCredentials, writeEtcdCertificate, writeKubeconfig } from "./programs/write-credentials.ts";

const startTimeoutMs = 60_000;
const portAttempts = 5;

export interface LocalCluster {
  /** Path of a kubeconfig, mode 0600. */
  kubeconfig: string;
  /** The name of its only context. */
  context: string;
  /** https://127.0.0.1:port */
  server: string;
  /** A bearer token of group system:masters: may do everything. */
  token: string;
  /** Path of the PEM file that verifies the server's certificate. */
  caFile: string;
  etcd: Etcd;
  /** The release that runs, as 1.37.2. */
  kubernetes: string;
  /** Under which the API server keeps everything: "/registry" */
  etcdPrefix: string;
  /** Holds etcd's data, keys, the kubeconfig and the programs' logs. */
  directory: string;
  /** null beside another cluster. */
  etcdPid: number | null;
  apiServer: Program;
  /** The group and version of its own migration engine, if it was asked for and the release has it at one that crdshift speaks. */
  migrationApi: string | null;
  /** null unless it was asked for. */
  controllerManager: Program | null;
  /** Ends all programs and, where no directory was given, removes everything. */
  stop(): Promise<void>;
}

export interface LocalClusterOptions {
  /** Kept between starts, for one cluster at a time. By default, a temporary directory that is removed at the end. */
  directory?: string;
  /** Discards the data of an earlier start. */
  empty?: boolean;
  /** The release of Kubernetes, if not the one that findProgram chooses. */
  release?: KubernetesRelease;
  /** The kubeconfig's context; "crdshift-local" if not given. */
  context?: string;
  /** More flags for kube-apiserver, after ours: the last one counts. */
  apiServerArgs?: string[];
  /** Another API server of the cluster with this etcd, as if on a machine of this name. Takes root. */
  beside?: { etcd: Etcd; hostname: string };
  /** Starts kube-controller-manager too, and serves storagemigration.k8s.io: the cluster's own engine of migrations. Neither without it. */
  controllerManager?: boolean;
  log?: (line: string) => void;
  /** Aborts the start; use stop() to end a started cluster. */
  signal?: AbortSignal;
}

/**
 * Starts a real etcd and kube-apiserver, and optionally kube-controller-manager, on free loopback ports and returns once they are
 * ready. Any number can run side by side, and none outlives this process. Throws with the last log lines of a program that dies while
 * starting, and if the directory is in use.
 */
export async function startLocalCluster(options: LocalClusterOptions = {}): Promise<LocalCluster> {
  const { log = () => {}, signal } = options;
  const { release } = options;
  const find = (name: BinaryName) => findProgram(name, { log, ...(release && { release }), ...(signal && { signal }) });
  const binaries = {
    etcd: await find("etcd"),
    kubeApiserver: await find("kube-apiserver"),
    kubeControllerManager: options.controllerManager ? await find("kube-controller-manager") : null,
  };
  const programs = options.controllerManager ? "etcd, kube-apiserver and kube-controller-manager" : "etcd and kube-apiserver";
  return logElapsed(log, `Starting ${programs}`, async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await startOnce(binaries, options);
      } catch (error) {
        // Another process took a port between choosing and using it.
        const isPortRace = error instanceof Error && error.message.includes("address already in use");
        if (!isPortRace || attempt === portAttempts) throw error;
      }
    }
  });
}

interface Binaries {
  etcd: string;
  kubeApiserver: string;
  /** null unless it was asked for. */
  kubeControllerManager: string | null;
}

async function startOnce(binaries: Binaries, options: LocalClusterOptions): Promise<LocalCluster> {
  const { kubeControllerManager } = binaries;
  const kubernetes = await versionOf(binaries.kubeApiserver);
  const { context = "crdshift-local", apiServerArgs = [], log = () => {} } = options;
  const timeout = AbortSignal.timeout(startTimeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const temporary = options.directory === undefined;
  const directory = options.directory ?? (await mkdtemp(path.join(tmpdir(), "crdshift-cluster-")));
  await mkdir(directory, { recursive: true, mode: 0o700 });

  const supervisor = await forkSupervisor({ directory, temporary, empty: options.empty ?? false });
  try {
    const { token } = await writeCredentials(directory);
    const { etcd, etcdPid } = options.beside
      ? { etcd: options.beside.etcd, etcdPid: null }
      : await startEtcd(supervisor, { file: binaries.etcd, directory, temporary, signal, log });
    const { server, caFile, apiServer } = await startApiServer(supervisor, {
      file: binaries.kubeApiserver,
      args: [...migrationApiArguments(kubernetes, kubeControllerManager !== null), ...apiServerArgs],
      hostname: options.beside?.hostname,
      ...{ directory, etcd, signal, log },
    });
    const kubeconfig = await writeKubeconfig({ directory, context, server, token, caFile });
    return {
      kubeconfig,
      context,
      server,
      token,
      caFile,
      etcd,
      kubernetes,
      migrationApi: kubeControllerManager ? migrationApi(kubernetes) : null,
      etcdPrefix: "/registry",
      directory,
      etcdPid,
      apiServer,
      controllerManager: kubeControllerManager
        ? await startControllerManager(supervisor, { file: kubeControllerManager, ...{ directory, kubeconfig, signal, log } })
        : null,
      stop: supervisor.stop,
    };
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}

async function startEtcd(
  supervisor: Supervisor,
  options: { file: string; directory: string; temporary: boolean; signal: AbortSignal; log: (line: string) => void },
): Promise<{ etcd: Etcd; etcdPid: number }> {
  const { file, directory, temporary, signal, log } = options;
  const name = `crdshift-${randomUUID()}`;
  const etcd = { url: `https://127.0.0.1:${await freePort()}`, ...(await writeEtcdCertificate(directory)) };
  const peer = `https://127.0.0.1:${await freePort()}`;
  const { pid } = await runUntilReady(supervisor, {
    name: "etcd",
    file,
    args: etcdArguments({ name, directory, etcd, peer, temporary }),
    isReady: () => isEtcdNamed(etcd, name),
    ...{ directory, signal, log },
  });
  return { etcd, etcdPid: pid };
}

/** As 1.37.2. It may be another release than ours if the program is the user's. */
async function versionOf(kubeApiserver: string): Promise<string> {
  const { stdout } = await promisify(execFile)(kubeApiserver, ["--version"]);
  return stdout.replace(/^Kubernetes v/, "").trim();
}

interface MemberList {
  members?: Array<{ name?: string }>;
}

/**
 * Whether etcd answers with a member of this name. Without the name, an etcd that lost the race for its port would look ready when
 * another cluster's etcd answers there.
 */
async function isEtcdNamed(etcd: Etcd, name: string): Promise<boolean> {
  try {
    // Only etcd's gRPC gateway returns such a list.
    const { members = [] } = (await postToEtcd(etcd, "/v3/cluster/member/list", {}, AbortSignal.timeout(2_000))) as MemberList;
    return members.some((member) => member.name === name);
  } catch {
    return false;
  }
}
