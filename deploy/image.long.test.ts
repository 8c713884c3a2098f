import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import http from "node:http";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createUser } from "#lib/cluster/testing/create-user.ts";
import { apiClient } from "#lib/local-cluster/api-client.ts";
import { workerCluster } from "#lib/local-cluster/testing/worker-cluster.ts";
import { openHelm } from "./helm.ts";
import { podOf, type Rendered, readRendered, startAsInPod } from "./testing/start-as-in-pod.ts";
import { assembleImage, type Image, type RunningImage } from "./testing/start-image.ts";

const cluster = workerCluster();
let image: Image;
let documents: Rendered[];

beforeAll(async () => {
  const helm = await openHelm();
  const keys = randomBytes(32).toString("base64");
  documents = readRendered(helm.template({ image: "registry.example.com/crdshift", session: { keys } }, "crdshift"));
  image = assembleImage();
});
afterAll(() => image?.remove());

async function start(): Promise<RunningImage> {
  const running = await startAsInPod(image, documents, { cluster });
  onTestFinished(async () => void (await running.stop()));
  return running;
}

/** GET with headers that fetch would not send. */
function get(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    http.get(url, { headers }, (response) => resolve(response.resume().statusCode ?? 0)).on("error", reject);
  });
}

test("the image holds what it runs and what that depends on, and nothing of what builds and tests it", () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  expect(image.packages).toEqual(expect.arrayContaining(["next", "react", "react-dom", "undici"]));
  const unwanted = [...Object.keys(devDependencies), ...Object.keys(optionalDependencies), "rolldown", "sharp", "@next/swc-linux-x64-gnu"];
  expect(image.packages.filter((name) => unwanted.includes(name))).toEqual([]);
  expect(image.packages.filter((name) => name in dependencies).sort()).toEqual(["next", "react", "react-dom", "undici"]);
});

test("the image's command runs as another user on a read-only root, answers the pod's probes, signs in, and ends within the pod's grace", async () => {
  const running = await start();
  const { pod, container } = podOf(documents);
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
  expect(probes).toHaveLength(3);
  for (const probe of probes) {
    const { path = "", httpHeaders = [] } = probe?.httpGet ?? {};
    expect(await get(running.url + path, Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value])))).toBe(200);
    // What the kubelet would send by itself.
    expect(await get(running.url + path, { Host: "10.1.2.3:3000" })).toBe(403);
  }

  expect(await get(`${running.url}/api/clusters/in-cluster/crds`, { Host: "localhost" })).toBe(401);
  const page = await (await fetch(`${running.url}/sign-in`)).text();
  const [, script = ""] = /src="(\/_next\/static\/[^"]+\.js[^"]*)"/.exec(page) ?? [];
  expect((await fetch(running.url + script.replaceAll("&amp;", "&"))).status).toBe(200);

  const api = apiClient(cluster);
  const user = await createUser(api, [
    { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["get", "list", "watch"] },
  ]);
  onTestFinished(() => user.remove());
  const signedIn = await fetch(`${running.url}/api/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: running.url },
    body: JSON.stringify({ token: user.token }),
  });
  expect(signedIn.status).toBe(200);
  const cookie = signedIn.headers
    .getSetCookie()
    .map((header) => header.split(";")[0])
    .filter((pair) => !pair?.endsWith("="))
    .join("; ");
  const asUser = (path: string, { url } = running) => fetch(url + path, { headers: { cookie } });
  expect(await (await asUser("/api/session")).json()).toMatchObject({ mode: "token", user: user.name });
  expect((await asUser("/clusters/in-cluster")).status).toBe(200);
  expect((await asUser("/api/clusters/in-cluster/crds")).status).toBe(200);

  // With the keys from the Secret, users stay signed in however often the pod restarts.
  const next = await startAsInPod(image, documents, { cluster });
  onTestFinished(async () => void (await next.stop()));
  expect(await (await asUser("/api/session", next)).json()).toMatchObject({ user: user.name });

  const began = performance.now();
  expect(await running.stop()).toBe(0);
  expect(performance.now() - began).toBeLessThan(pod.terminationGracePeriodSeconds * 1_000);
  expect(running.output()).not.toMatch(/EROFS|EACCES|EPERM|ENOENT|read-only|Error/);
});

test("without a mode, and without a file of the cluster's certificate, the image's command says what to set", async () => {
  await expect(image.start({ env: {}, mounted: {} })).rejects.toThrow(/Set CRDSHIFT_MODE to one of these:\n {2}token/);
  await expect(startAsInPod(image, documents, { cluster, settings: { CRDSHIFT_CLUSTER_CA: "/nowhere/ca.crt" } })).rejects.toThrow(
    /CRDSHIFT_CLUSTER_CA points to \/nowhere\/ca.crt.*kube-root-ca.crt/s,
  );
});
