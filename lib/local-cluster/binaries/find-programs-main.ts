/** Finds or builds the programs of the local cluster, and Helm, so that no test that needs them has to wait later. */
import { findProgram } from "./find-program.ts";
import { olderRelease } from "./kubernetes-release.ts";

try {
  const log = (line: string) => console.log(line);
  for (const name of ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl", "helm"] as const) await findProgram(name, { log });
  await findProgram("kube-apiserver", { release: olderRelease, log });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
