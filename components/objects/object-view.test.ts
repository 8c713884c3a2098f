import { expect, it } from "vitest";
import { objectCommand } from "./object-view.tsx";

const crd = { plural: "crontabs", group: "stable.example.com" };

it("includes the version and the namespace", () =>
  expect(objectCommand("kubectl --context dev", crd, { namespace: "default", name: "nightly" }, "v1beta1")).toBe(
    "kubectl --context dev get crontabs.v1beta1.stable.example.com nightly --namespace default -o json --show-managed-fields",
  ));

it("omits the namespace of a cluster-scoped object", () =>
  expect(objectCommand("kubectl", crd, { namespace: "", name: "nightly" }, "v1")).toBe(
    "kubectl get crontabs.v1.stable.example.com nightly -o json --show-managed-fields",
  ));
