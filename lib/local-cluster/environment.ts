import { homedir } from "node:os";
import path from "node:path";

/** The local cluster's settings from the environment: where to find programs and where to keep files. */
export function localClusterEnvironment() {
  const { KUBEBUILDER_ASSETS, KUBERNETES_VERSION, PATH, XDG_CACHE_HOME, XDG_DATA_HOME } = process.env;
  return {
    assetsDirectory: KUBEBUILDER_ASSETS || undefined,
    kubernetesVersion: KUBERNETES_VERSION || undefined,
    pathDirectories: (PATH ?? "").split(path.delimiter).filter(path.isAbsolute),
    cacheDirectory: path.join(xdgDirectory(XDG_CACHE_HOME, ".cache"), "crdshift"),
    dataDirectory: path.join(xdgDirectory(XDG_DATA_HOME, ".local/share"), "crdshift"),
    /** Go as the user set it up, but without flags or workspaces that would change what is built. */
    goBuild: { ...process.env, GOFLAGS: "-mod=readonly", GOWORK: "off", CGO_ENABLED: "0", GOOS: "", GOARCH: "" },
    program: { PATH, HOME: homedir(), NODE_ENV: process.env.NODE_ENV },
  };
}

/** The XDG base directory specification: relative paths must be ignored. */
function xdgDirectory(configured: string | undefined, underHome: string): string {
  return configured && path.isAbsolute(configured) ? configured : path.join(homedir(), underHome);
}
