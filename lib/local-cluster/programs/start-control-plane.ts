import { readFile } from "node:fs/promises";
import https from "node:https";
import path from "node:path";
import { migrationApi } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import type { Etcd } from "#lib/local-cluster/etcd.ts";
import type { Supervisor } from "./fork-supervisor.ts";
import { freePort, type Program, startProgram } from "./start-program.ts";

/**
 * Starts kube-apiserver on a free loopback port and returns once it is ready. `args` come after our flags. With `hostname` it thinks that
 * it runs on a machine of that name, which takes root: its identity Lease is named after the machine.
 */
export async function startApiServer(
  supervisor: Supervisor,
  options: {
    file: string;
    directory: string;
    etcd: Etcd;
    args: string[];
    hostname?: string | undefined;
    signal: AbortSignal;
    log: (line: string) => void;
  },
): Promise<{ server: string; caFile: string; apiServer: Program }> {
  const { file, directory, etcd, args, hostname, signal, log } = options;
  const port = await freePort();
  const server = `https://127.0.0.1:${port}`;
  const caFile = path.join(directory, "certs", "apiserver.crt");
  const [program = file, ...flags] = [
    ...(hostname ? ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', hostname] : []),
    ...[file, ...apiServerArguments({ directory, etcd, port }), ...args],
  ];
  const apiServer = await startProgram(supervisor, {
    name: "kube-apiserver",
    file: program,
    args: flags,
    isReady: () => isAnswering(`${server}/readyz`, caFile),
    ...{ directory, signal, log },
  });
  return { server, caFile, apiServer };
}

const timeoutMs = 2_000;

/** Whether a GET of the https URL answers 200, with a certificate that `caFile` (which may not exist yet) verifies. */
async function isAnswering(url: string, caFile: string): Promise<boolean> {
  const ca = await readFile(caFile).catch(() => undefined);
  if (!ca) return false;
  return new Promise((resolve) => {
    const request = https.get(url, { ca, agent: false, timeout: timeoutMs }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
  });
}

/**
 * Starts kube-controller-manager with only the storage version migrator and the garbage collector it needs, and returns once it
 * answers. It discovers a definition when it starts, or up to half a minute after the definition is created.
 */
export async function startControllerManager(
  supervisor: Supervisor,
  options: { file: string; directory: string; kubeconfig: string; signal: AbortSignal; log: (line: string) => void },
): Promise<Program> {
  const { file, directory, kubeconfig, signal, log } = options;
  const port = await freePort();
  const caFile = path.join(directory, "certs", "kube-controller-manager.crt");
  return startProgram(supervisor, {
    name: "kube-controller-manager",
    file,
    args: controllerManagerArguments({ directory, kubeconfig, port }),
    isReady: () => isAnswering(`https://127.0.0.1:${port}/healthz`, caFile),
    ...{ directory, signal, log },
  });
}

/**
 * etcd's flags: one member, on loopback, that serves only who has its certificate. Without it, a web page could write to it: a POST of
 * plain text takes no preflight.
 */
export function etcdArguments(options: {
  name: string;
  directory: string;
  etcd: Etcd;
  peer: string;
  /** Data need not survive a crash of the machine, so writes don't wait for the disk. */
  temporary: boolean;
}): string[] {
  const { name, directory, etcd, peer, temporary } = options;
  const { url, certFile, keyFile } = etcd;
  return [
    `--name=${name}`,
    `--data-dir=${path.join(directory, "etcd")}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    ...["", "peer-"].flatMap((side) => [
      `--${side}cert-file=${certFile}`,
      `--${side}key-file=${keyFile}`,
      `--${side}trusted-ca-file=${certFile}`,
      `--${side}client-cert-auth`,
    ]),
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=${name}=${peer}`,
    "--log-level=error",
    ...(temporary ? ["--unsafe-no-fsync"] : []),
  ];
}

/** kube-apiserver's flags; the files are those of writeCredentials. */
function apiServerArguments(options: { directory: string; etcd: Etcd; port: number }): string[] {
  const { directory, etcd, port } = options;
  const file = (name: string) => path.join(directory, name);
  return [
    `--etcd-servers=${etcd.url}`,
    `--etcd-cafile=${etcd.certFile}`,
    `--etcd-certfile=${etcd.certFile}`,
    `--etcd-keyfile=${etcd.keyFile}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    "--advertise-address=127.0.0.1",
    // No workload here needs the API server's Service, and a Service can't point at loopback.
    "--endpoint-reconciler-type=none",
    `--cert-dir=${file("certs")}`,
    `--token-auth-file=${file("tokens.csv")}`,
    "--authorization-mode=RBAC",
    "--service-cluster-ip-range=10.0.0.0/24",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-signing-key-file=${file("service-account.key")}`,
    `--service-account-key-file=${file("service-account.pub")}`,
    "--v=0",
  ];
}

/** kube-apiserver's flags to serve StorageVersionMigrations or not: off by default up to Kubernetes 1.36, on from 1.37. */
export function migrationApiArguments(release: string, isServed: boolean): string[] {
  const api = migrationApi(release);
  if (api?.endsWith("/v1")) return isServed ? [] : [`--runtime-config=${api}=false`];
  if (api === null || !isServed) return [];
  return ["--feature-gates=StorageVersionMigrator=true", `--runtime-config=${api}=true`];
}

/** kube-controller-manager's flags. The migrator relies on the garbage collector's lists and does not start without it. */
function controllerManagerArguments(options: { directory: string; kubeconfig: string; port: number }): string[] {
  const { directory, kubeconfig, port } = options;
  return [
    `--kubeconfig=${kubeconfig}`,
    "--controllers=storage-version-migrator-controller,garbage-collector-controller",
    "--feature-gates=StorageVersionMigrator=true",
    "--leader-elect=false",
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--cert-dir=${path.join(directory, "certs")}`,
    "--v=0",
  ];
}
