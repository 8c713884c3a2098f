import { expect, it } from "vitest";
import { kubectlFor } from "./kubectl.ts";

it("names the context, quoted for the shell", () => {
  expect(kubectlFor({ mode: "local" }, "kind-dev")).toBe("kubectl --context kind-dev");
  expect(kubectlFor(null, "it's a cluster/a b")).toBe(String.raw`kubectl --context 'it'\''s a cluster/a b'`);
});

it("omits a context that is not in the user's kubeconfig", () => {
  expect(kubectlFor({ mode: "local" }, "in-cluster")).toBe("kubectl");
  expect(kubectlFor({ mode: "token" }, "kind-dev")).toBe("kubectl");
});
