import path from "node:path";

/** The name the program was started under, and what it implies. */
export interface Program {
  /** The name in help: `crdshift`, or `kubectl crdshift` as a plugin. */
  name: "crdshift" | "kubectl crdshift";
  /** Whether kubectl is asking its plugin for completions: https://github.com/kubernetes/kubernetes/pull/105867 */
  completes: boolean;
}

/** Derives the program from the path it was started by, which may be a link. */
export function programName(startedAs: string): Program {
  const name = path.basename(startedAs).replace(/\.(mjs|cmd|exe)$/, "");
  if (name === "kubectl_complete-crdshift") return { name: "kubectl crdshift", completes: true };
  return { name: name === "kubectl-crdshift" ? "kubectl crdshift" : "crdshift", completes: false };
}
