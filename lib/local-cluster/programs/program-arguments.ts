import path from "node:path";
import { migrationApi } from "#lib/local-cluster/binaries/kubernetes-release.ts";

/** etcd's flags: one member, on loopback. */
export function etcdArguments(options: {
  name: string;
  directory: string;
  endpoint: string;
  peer: string;
  /** Data need not survive a crash of the machine, so writes don't wait for the disk. */
  temporary: boolean;
}): string[] {
  const { name, directory, endpoint, peer, temporary } = options;
  return [
    `--name=${name}`,
    `--data-dir=${path.join(directory, "etcd")}`,
    `--listen-client-urls=${endpoint}`,
    `--advertise-client-urls=${endpoint}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=${name}=${peer}`,
    "--log-level=error",
    ...(temporary ? ["--unsafe-no-fsync"] : []),
  ];
}

/** kube-apiserver's flags; the files are those of writeCredentials. */
export function apiServerArguments(options: { directory: string; etcd: string; port: number }): string[] {
  const { directory, etcd, port } = options;
  const file = (name: string) => path.join(directory, name);
  return [
    `--etcd-servers=${etcd}`,
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
export function controllerManagerArguments(options: { directory: string; kubeconfig: string; port: number }): string[] {
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
