import { expect, test } from "vitest";
import { programName } from "./main.ts";

test.each([
  ["/usr/bin/crdshift", "crdshift", false],
  ["/work/dist/crdshift.mjs", "crdshift", false],
  ["/usr/bin/kubectl-crdshift", "kubectl crdshift", false],
  ["/usr/bin/kubectl_complete-crdshift", "kubectl crdshift", true],
])("%s runs as %s", (file, name, completes) => {
  expect(programName(file)).toEqual({ name, completes });
});
