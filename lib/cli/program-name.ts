import path from "node:path";

/** Under which name it was started, and so what it is. */
export interface Program {
  /** How help writes it: `crdshift`, or `kubectl crdshift` as a plugin. */
  name: "crdshift" | "kubectl crdshift";
  /** Whether kubectl asks for completions of its plugin: https://github.com/kubernetes/kubernetes/pull/105867 */
  completes: boolean;
}

/** From the path that was started, which may be a link. */
export function programName(startedAs: string): Program {
  const name = path.basename(startedAs).replace(/\.(mjs|cmd|exe)$/, "");
  if (name === "kubectl_complete-crdshift") return { name: "kubectl crdshift", completes: true };
  return { name: name === "kubectl-crdshift" ? "kubectl crdshift" : "crdshift", completes: false };
}
