import { expect, test } from "vitest";
import { programName, withChoice } from "./main.ts";

test.each([
  ["/usr/bin/crdshift", "crdshift", false],
  ["/work/dist/crdshift.mjs", "crdshift", false],
  ["/usr/bin/kubectl-crdshift", "kubectl crdshift", false],
  ["/usr/bin/kubectl_complete-crdshift", "kubectl crdshift", true],
])("%s runs as %s", (file, name, completes) => {
  expect(programName(file)).toEqual({ name, completes });
});

// Pasted without them, a suggested rewrite or undo-prune runs on whatever cluster is current.
test("suggested commands name the kubeconfig and context that were chosen", () => {
  expect(withChoice("crdshift", { kubeconfig: null, context: null })).toBe("crdshift");
  expect(withChoice("kubectl crdshift", { kubeconfig: null, context: "a b" })).toBe("kubectl crdshift --context='a b'");
  expect(withChoice("crdshift", { kubeconfig: "/etc/kube", context: "east" })).toBe("crdshift --kubeconfig=/etc/kube --context=east");
});
