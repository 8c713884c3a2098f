import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findBinaries } from "./find-binaries.ts";
import { forkSupervisor } from "./fork-supervisor.ts";
import { freePort } from "./free-port.ts";
import { isEtcdNamed } from "./is-etcd-named.ts";
import { logElapsed } from "./log-elapsed.ts";
import { etcdArguments } from "./program-arguments.ts";
import { runUntilReady } from "./run-until-ready.ts";
import { type ApiServer, startApiServer } from "./start-api-server.ts";
import { writeCredentials } from "./write-credentials.ts";
import { writeKubeconfig } from "./write-kubeconfig.ts";

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
  /** The client endpoint, http://127.0.0.1:port */
  etcd: string;
  /** Under which the API server keeps everything: "/registry" */
  etcdPrefix: string;
  /** Holds etcd's data, keys, the kubeconfig and the programs' logs. */
  directory: string;
  etcdPid: number;
  apiServer: ApiServer;
  /** Ends both programs and, where no directory was given, removes everything. */
  stop(): Promise<void>;
}

export interface LocalClusterOptions {
  /** Kept between starts, and used by one cluster at a time. Without it a temporary one is removed at the end. */
  directory?: string;
  /** Forget what an earlier start kept in the directory. */
  empty?: boolean;
  /** The kubeconfig's context; "crdshift-local" if not given. */
  context?: string;
  /** More flags for kube-apiserver, after ours: the last one counts. */
  apiServerArgs?: string[];
  log?: (line: string) => void;
  /** Aborts the start; a started cluster is ended with stop(). */
  signal?: AbortSignal;
}

/**
 * Starts a real etcd and kube-apiserver on free loopback ports and returns once the API server is ready. Any number can
 * run side by side, and none outlives this process. A program that dies while starting is an error with its last log
 * lines; a directory already in use is one too.
 */
export async function startLocalCluster(options: LocalClusterOptions = {}): Promise<LocalCluster> {
  const { log = () => {}, signal } = options;
  const binaries = await findBinaries({ log, ...(signal && { signal }) });
  return logElapsed(log, "Starting etcd and kube-apiserver", async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await startOnce(binaries, options);
      } catch (error) {
        // The ports were free when they were chosen; something else was faster.
        const isPortRace = error instanceof Error && error.message.includes("address already in use");
        if (!isPortRace || attempt === portAttempts) throw error;
      }
    }
  });
}

async function startOnce(binaries: { etcd: string; kubeApiserver: string }, options: LocalClusterOptions): Promise<LocalCluster> {
  const { context = "crdshift-local", apiServerArgs = [], log = () => {} } = options;
  const timeout = AbortSignal.timeout(startTimeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const temporary = options.directory === undefined;
  const directory = options.directory ?? (await mkdtemp(path.join(tmpdir(), "crdshift-cluster-")));
  await mkdir(directory, { recursive: true, mode: 0o700 });

  const supervisor = await forkSupervisor({ directory, temporary, empty: options.empty ?? false });
  try {
    const { token } = await writeCredentials(directory);
    const name = `crdshift-${randomUUID()}`;
    const etcd = `http://127.0.0.1:${await freePort()}`;
    const peer = `http://127.0.0.1:${await freePort()}`;
    const { pid: etcdPid } = await runUntilReady(supervisor, {
      name: "etcd",
      file: binaries.etcd,
      args: etcdArguments({ name, directory, endpoint: etcd, peer, temporary }),
      isReady: () => isEtcdNamed(etcd, name),
      ...{ directory, signal, log },
    });

    const { server, caFile, apiServer } = await startApiServer(supervisor, {
      file: binaries.kubeApiserver,
      args: apiServerArgs,
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
      etcdPrefix: "/registry",
      directory,
      etcdPid,
      apiServer,
      stop: supervisor.stop,
    };
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}
