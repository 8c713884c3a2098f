import { spawn } from "node:child_process";
import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { localClusterEnvironment } from "#lib/local-cluster/environment.ts";
import { type KubernetesRelease, minorOf } from "./kubernetes-release.ts";
import { logElapsed } from "./log-elapsed.ts";

/** The versions that go/etcd and go/helm pin; a test keeps them equal. */
export const binaryVersions = { etcd: "3.7.3", helm: "3.22.0" };

const sources = {
  etcd: { module: "etcd", package: "go.etcd.io/etcd/server/v3" },
  "kube-apiserver": { module: "kubernetes", package: "k8s.io/kubernetes/cmd/kube-apiserver" },
  "kube-controller-manager": { module: "kubernetes", package: "k8s.io/kubernetes/cmd/kube-controller-manager" },
  kubectl: { module: "kubernetes", package: "k8s.io/kubernetes/cmd/kubectl" },
  // Not for clusters: only the chart's tests need it.
  helm: { module: "helm", package: "helm.sh/helm/v3/cmd/helm" },
} as const;

export type BinaryName = keyof typeof sources;

/** Builds one program with Go from the modules pinned in ./go and puts it in `directory`. */
export async function buildBinary(
  name: BinaryName,
  options: { directory: string; release: KubernetesRelease; log?: (line: string) => void; signal?: AbortSignal },
): Promise<void> {
  const { directory, release, log = () => {}, signal } = options;
  await mkdir(directory, { recursive: true });
  // Built under another name, then renamed, so that a program is never incomplete, even if two processes build it.
  const building = path.join(directory, `.${name}.${process.pid}`);
  try {
    const takes = name === "helm" ? "about a minute" : `etcd and Kubernetes ${release} take about ten minutes`;
    await logElapsed(log, `Building ${name} with Go, once (${takes} on two cores)`, () =>
      goBuild(name, { release, output: building, signal }),
    );
    await rename(building, path.join(directory, name));
  } finally {
    await rm(building, { force: true });
  }
}

function goBuild(
  name: BinaryName,
  { release, output, signal }: { release: KubernetesRelease; output: string; signal: AbortSignal | undefined },
): Promise<void> {
  const source = sources[name];
  const module = source.module === "kubernetes" ? `kubernetes/${minorOf(release)}` : source.module;
  const go = spawn("go", ["build", "-trimpath", "-ldflags", linkerFlags(release), "-o", output, source.package], {
    cwd: fileURLToPath(new URL(`./go/${module}`, import.meta.url)),
    env: localClusterEnvironment().goBuild,
    stdio: ["ignore", "ignore", "pipe"],
    ...(signal && { signal }),
  });
  let messages = "";
  go.stderr.setEncoding("utf8").on("data", (text: string) => {
    messages = (messages + text).slice(-4_000);
  });
  return new Promise((resolve, reject) => {
    go.on("error", (error) => {
      const isMissing = "code" in error && error.code === "ENOENT";
      reject(isMissing ? new Error(noGo(name), { cause: error }) : error);
    });
    go.on("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`Go could not build ${name}:\n${messages.trim()}\n${whatToDo(name)}`));
    });
  });
}

function linkerFlags(release: KubernetesRelease): string {
  const [major, minor] = release.split(".");
  const version = "k8s.io/component-base/version";
  return ["-s -w", `-X ${version}.gitVersion=v${release}`, `-X ${version}.gitMajor=${major}`, `-X ${version}.gitMinor=${minor}`].join(" ");
}

function whatToDo(name: BinaryName): string {
  const haveGo = "Make sure that Go 1.26 or later is in your PATH and can download modules";
  if (name === "helm") return `${haveGo}.`;
  return `${haveGo}, or set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver, kube-controller-manager and kubectl.`;
}

function noGo(name: BinaryName): string {
  const missing =
    name === "helm"
      ? "The chart's tests need helm, which is not in the cache folder"
      : `The local cluster needs ${name}, which is not in KUBEBUILDER_ASSETS, PATH or the cache folder`;
  return `${missing}, and Go is not installed to build it. ${whatToDo(name)}`;
}
