import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type ApiClient, apiClient } from "#lib/local-cluster/api-client.ts";
import { createDefinition, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { type LocalCluster, startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { openHelm } from "./helm.ts";
import { openKubectl } from "./testing/kubectl.ts";
import { readRendered, startAsInPod } from "./testing/start-as-in-pod.ts";
import { assembleImage, type Image } from "./testing/start-image.ts";

// The chart in unsafe-shared-readonly on an API server: whoever asks has what the pod's own account may read.

const below = ({ name }: SampleDefinition, rest = "") => `clusters/in-cluster/crds/${name}${rest}`;

let cluster: LocalCluster;
let api: ApiClient;
let image: Image;

beforeAll(async () => {
  cluster = await startLocalCluster();
  api = apiClient(cluster);
  image = assembleImage();
});

afterAll(async () => {
  image?.remove();
  api?.close();
  await cluster?.stop();
});

test("in unsafe-shared-readonly everyone reads what the pod's account may, objects of the chosen included, and no one writes", async () => {
  const [helm, kubectl] = [await openHelm(), await openKubectl(cluster)];
  // Named in roles.groups, and one that is not.
  const chosen = await createDefinition(api, [{ name: "v1", storage: true }]);
  const other = await createDefinition(api, [{ name: "v1", storage: true }]);
  const values = { image: "registry.example.com/crdshift", mode: "unsafe-shared-readonly", acceptUnsafe: true };
  const documents = readRendered(
    helm.template({ ...values, roles: { create: false, groups: [{ name: chosen.group, resources: [chosen.plural] }] } }, "default"),
  );
  kubectl(
    ["create", "--filename", "-"],
    documents.filter(({ apiVersion, kind }) => apiVersion.startsWith("rbac.") || kind === "ServiceAccount"),
  );
  const tokenFile = path.join(cluster.directory, "pod-token");
  writeFileSync(tokenFile, kubectl(["create", "token", "crdshift", "--namespace", "default"]).trim());
  const shared = await startAsInPod(image, documents, { cluster, tokenFile });
  onTestFinished(async () => void (await shared.stop()));
  const ask = async (at: string, init: RequestInit = {}) => (await fetch(`${shared.url}/api/${at}`, init)).status;
  for (const definition of [chosen, other]) expect(await ask(below(definition))).toBe(200);
  expect(await ask(below(chosen, "/objects"))).toBe(200);
  expect(await ask(below(other, "/objects"))).toBe(403);
  const headers = { origin: shared.url, "content-type": "application/json" };
  expect(await ask(below(chosen, "/rewrites"), { method: "POST", headers, body: "{}" })).toBe(404);
});
