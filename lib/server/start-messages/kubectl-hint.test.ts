import { expect, test } from "vitest";
import { kubectlHint } from "./kubectl-hint.ts";

test("names the kubeconfig and the context, as a shell takes them", () => {
  expect(kubectlHint({ kubeconfig: "/home/a/.local/share/crdshift/kubeconfig", context: "crdshift-demo" })).toBe(
    "kubectl --kubeconfig /home/a/.local/share/crdshift/kubeconfig --context crdshift-demo get crds",
  );
  expect(kubectlHint({ kubeconfig: "/home/it's me/kubeconfig", context: "crdshift-demo" })).toBe(
    String.raw`kubectl --kubeconfig '/home/it'\''s me/kubeconfig' --context crdshift-demo get crds`,
  );
});
