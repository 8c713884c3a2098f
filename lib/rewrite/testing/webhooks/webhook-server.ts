import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";
import { webhookCertificate } from "#lib/local-cluster/demo/conversion-webhook.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleConversion, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";

export interface ReviewedObject {
  apiVersion: string;
  metadata: { name: string; labels?: object };
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

export interface Review {
  apiVersion: string;
  kind: string;
  request: {
    uid: string;
    desiredAPIVersion?: string;
    objects?: ReviewedObject[];
    object?: ReviewedObject;
    oldObject?: ReviewedObject;
    dryRun?: boolean;
  };
}

interface ReviewServer {
  clientConfig: { url: string; caBundle: string };
  /** The number of requests received. */
  calls(): number;
  /** Closes every connection and refuses new ones until `accept`, which uses the same address. */
  refuse(): void;
  accept(): Promise<void>;
}

/** Serves reviews over TLS on loopback until the end of the test. */
export async function reviewServer(handle: (review: Review, response: ServerResponse) => unknown): Promise<ReviewServer> {
  const directory = await mkdtemp(join(tmpdir(), "crdshift-webhook-"));
  const certificate = await webhookCertificate(directory);
  let calls = 0;
  const server = createServer(certificate, async (request, response) => {
    try {
      const review = (await json(request)) as Review;
      calls += 1;
      await handle(review, response);
    } catch {
      // The API server may have closed the connection in the middle of its request.
      response.destroy();
    }
  });
  // An API server that a test freezes for longer would send its next review into a connection that is closed by then.
  server.keepAliveTimeout = 10 * 60_000;
  const listen = (port: number) => new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
  // closeAllConnections leaves those whose TLS handshake isn't over.
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const refuse = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  await listen(0);
  onTestFinished(async () => {
    refuse();
    await rm(directory, { recursive: true });
  });
  // A listening TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(certificate.cert).toString("base64") },
    calls: () => calls,
    refuse,
    accept: () => listen(port),
  };
}

/** Answers reviews with 200 until the end of the test. */
function webhookServer(respond: (request: Review["request"]) => Promise<object> | object): Promise<ReviewServer> {
  return reviewServer(async ({ apiVersion, kind, request }, response) => {
    sendJson(response, { apiVersion, kind, response: { uid: request.uid, ...(await respond(request)) } });
  });
}

export function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** A conversion webhook. If `convert` throws, the whole review fails with the error's message. */
export async function conversionWebhook(
  convert: (object: ReviewedObject, apiVersion: string) => ReviewedObject,
): Promise<SampleConversion> {
  const { clientConfig } = await webhookServer(({ objects = [], desiredAPIVersion = "" }) => {
    try {
      return { result: { status: "Success" }, convertedObjects: objects.map((object) => convert(object, desiredAPIVersion)) };
    } catch (error) {
      return { result: { status: "Failed", message: error instanceof Error ? error.message : String(error) }, convertedObjects: [] };
    }
  });
  return { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
}

export interface AdmissionWebhook {
  /** The number of requests received. */
  calls(): number;
  /** Leaves requests unanswered until `release`. */
  hold(): void;
  release(): void;
}

/** A validating webhook on updates of the objects that allows everything. In force when this returns. */
export async function admissionWebhook({ api }: TestBench, definition: SampleDefinition): Promise<AdmissionWebhook> {
  let free = Promise.resolve();
  let release = () => {};
  const { clientConfig, calls } = await webhookServer(async () => {
    await free;
    return { allowed: true };
  });
  await updateWebhook(api, definition, clientConfig);
  onTestFinished(() => release());
  await expect.poll(() => tryUpdate(api, definition).then(calls), { timeout: 30_000 }).toBeGreaterThan(0);
  return {
    calls,
    hold() {
      const held = Promise.withResolvers<void>();
      [free, release] = [held.promise, held.resolve];
    },
    release: () => release(),
  };
}

/**
 * A validating webhook with side effects, which does not support dry run. In force when this returns. The API server no longer allows
 * creating one but honors existing ones, so this writes it into etcd directly.
 */
export async function webhookWithSideEffects({ api, cluster }: TestBench, definition: SampleDefinition): Promise<void> {
  const { clientConfig } = await webhookServer(() => ({ allowed: true }));
  const metadata = { name: definition.name, uid: randomUUID(), creationTimestamp: "2020-01-01T00:00:00Z" };
  const webhooks = [webhookOf(definition, clientConfig, "Some", "UPDATE")];
  const value = { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration", metadata, webhooks };
  await putIntoEtcd(cluster.etcd, `/registry/validatingwebhookconfigurations/${definition.name}`, JSON.stringify(value));
  onTestFinished(async () => void (await api.delete(`${CONFIGURATIONS}/${definition.name}`)));
  await expect.poll(() => tryUpdate(api, definition), { timeout: 30_000 }).toContain("does not support dry run");
}

/** Registers a validating webhook for updates of the definition's objects, until the end of the test. It takes a moment to be in force. */
export function updateWebhook(api: TestBench["api"], definition: SampleDefinition, clientConfig: object): Promise<void> {
  return register(api, definition, webhookOf(definition, clientConfig, "None", "UPDATE"));
}

/** The same, of a webhook that may change the objects. */
export async function mutatingWebhook(api: TestBench["api"], definition: SampleDefinition, clientConfig: object): Promise<void> {
  const path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
  await api.create(path, { metadata: { name: definition.name }, webhooks: [webhookOf(definition, clientConfig, "None", "UPDATE")] });
  onTestFinished(async () => void (await api.delete(`${path}/${definition.name}`)));
}

/** The same for deletions. */
export function deletionWebhook(api: TestBench["api"], definition: SampleDefinition, clientConfig: object): Promise<void> {
  return register(api, definition, webhookOf(definition, clientConfig, "None", "DELETE"));
}

async function register(api: TestBench["api"], definition: SampleDefinition, webhook: object): Promise<void> {
  await api.create(CONFIGURATIONS, { metadata: { name: definition.name }, webhooks: [webhook] });
  onTestFinished(async () => void (await api.delete(`${CONFIGURATIONS}/${definition.name}`)));
}

type Operation = "UPDATE" | "DELETE";

const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

function webhookOf(definition: SampleDefinition, clientConfig: object, sideEffects: string, operation: Operation): object {
  const rule = { apiGroups: [definition.group], apiVersions: ["*"], operations: [operation], resources: [definition.plural], scope: "*" };
  return {
    ...{
      name: `${operation.toLowerCase()}s.${definition.group}`,
      clientConfig,
      sideEffects,
      rules: [rule],
      admissionReviewVersions: ["v1"],
    },
    ...{ failurePolicy: "Fail", matchPolicy: "Equivalent", timeoutSeconds: 30, namespaceSelector: {}, objectSelector: {} },
  };
}

/** The API server's answer to a dry run of an update. */
async function tryUpdate(api: TestBench["api"], definition: SampleDefinition): Promise<string> {
  const path = definition.path("v1", { name: objectName(0) });
  return api.mergePatch(`${path}?dryRun=All`, {}).then(() => "allowed", String);
}
