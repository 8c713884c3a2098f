import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { webhookCertificate } from "#lib/local-cluster/demo/conversion-webhook.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { storageVersionHash } from "#lib/rewrite/run/settle/settle.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";

const APIS = "/apis/apiregistration.k8s.io/v1/apiservices";

/** What a server that a product has left behind has of the definition's group. */
export interface AnotherServer {
  /** As crdshift tells it: its namespace and name. */
  service: string;
  /** Gives the version back to the definition: deletes the APIService, or takes the service out of it. */
  leave(how?: "delete" | "patch"): Promise<void>;
}

/**
 * Lets another server answer all requests for a version of the definition, through the API server's aggregation. It has no objects, and
 * advertises the same storageVersionHash; its resourceVersions are those of an etcd of its own, or of the API server's. In force when this
 * returns, until the test ends or `leave` is called.
 */
export async function anotherServer(
  { api }: TestBench,
  definition: SampleDefinition,
  version: string,
  resourceVersions: "own" | "shared" = "own",
): Promise<AnotherServer> {
  const { group, plural } = definition;
  const newest = async () =>
    (await api.get<{ metadata: { resourceVersion: string } }>("/api/v1/configmaps?limit=1")).metadata.resourceVersion;
  const directory = await mkdtemp(join(tmpdir(), "crdshift-aggregated-"));
  const server = createServer(await webhookCertificate(directory), async (request, response) => {
    const send = (status: number, body: object) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    const [path = ""] = (request.url ?? "").split("?");
    const verbs = ["get", "list", "patch", "watch", "create", "update", "delete"];
    const resource = { name: plural, singularName: "widget", namespaced: true, kind: "Widget", verbs };
    const resources = [{ ...resource, storageVersionHash: storageVersionHash(group, version, "Widget") }];
    if (path === `/apis/${group}/${version}`) return send(200, { kind: "APIResourceList", groupVersion: `${group}/${version}`, resources });
    if (request.method !== "GET" || !path.endsWith(`/${plural}`)) return send(404, { kind: "Status", status: "Failure", code: 404 });
    return send(200, {
      ...{ kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1", items: [] },
      metadata: { resourceVersion: resourceVersions === "own" ? "1" : await newest() },
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await rm(directory, { recursive: true });
  });
  const { port } = server.address() as AddressInfo;
  const service = `legacy-${port}`;
  const services = "/api/v1/namespaces/default/services";
  await api.create(services, { metadata: { name: service }, spec: { type: "ExternalName", externalName: "localhost", ports: [{ port }] } });
  onTestFinished(async () => void (await api.delete(`${services}/${service}`)));
  const name = `${version}.${group}`;
  const spec = { insecureSkipTLSVerify: true, service: { namespace: "default", name: service, port } };
  // Otherwise the API server makes it its own again.
  await api.mergePatch(`${APIS}/${name}`, { metadata: { labels: { "kube-aggregator.kubernetes.io/automanaged": null } }, spec });
  let isThere = true;
  const leave: AnotherServer["leave"] = async (how = "delete") => {
    if (!isThere) return;
    isThere = false;
    if (how === "delete") await api.delete(`${APIS}/${name}`);
    else await api.mergePatch(`${APIS}/${name}`, { spec: { service: null, insecureSkipTLSVerify: null } });
  };
  onTestFinished(() => leave());
  const objects = async () => (await api.get<{ items: object[] }>(definition.path(version)).catch(() => null))?.items.length;
  await expect.poll(objects, { timeout: 30_000 }).toBe(0);
  return {
    service: `default/${service}`,
    async leave(how) {
      await leave(how);
      await expect.poll(objects, { timeout: 60_000, interval: 500 }).toBeGreaterThan(0);
    },
  };
}
