import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import type { Server } from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { selfSignedCertificate } from "#lib/local-cluster/programs/self-signed-certificate.ts";
import { secretServer } from "./secret-server.ts";

export interface ConversionWebhook {
  /** What a CRD's spec.conversion needs to use it. */
  conversion: { strategy: "Webhook"; webhook: { clientConfig: { url: string; caBundle: string }; conversionReviewVersions: string[] } };
  close(): void;
}

interface ConversionReview {
  request: { uid: string; desiredAPIVersion: string; objects: (CronTab | ReportTask)[] };
}

/**
 * Serves the conversion of CronTabs and ReportTasks over TLS on loopback, to those who know its path. Certificate, path and port are kept
 * in `directory`, so that the CRDs made at the first start still fit; the port changes only if something else has taken it.
 */
export async function startConversionWebhook(directory: string): Promise<ConversionWebhook> {
  const certificate = await webhookCertificate(directory);
  const secretPath = `/convert/${await webhookSecret(directory)}`;
  const server = secretServer(certificate, secretPath, (review) => answer(review as ConversionReview));
  const portFile = path.join(directory, "webhook.port");
  const keptPort = Number(await readFile(portFile, "utf8").catch(() => "0"));
  const port = await listen(server, keptPort).catch(() => listen(server, 0));
  await writeFile(portFile, String(port));
  return {
    conversion: {
      strategy: "Webhook",
      webhook: {
        clientConfig: { url: `https://127.0.0.1:${port}${secretPath}`, caBundle: Buffer.from(certificate.cert).toString("base64") },
        conversionReviewVersions: ["v1"],
      },
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#response */
function answer({ request }: ConversionReview) {
  return { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", response: { uid: request.uid, ...outcome(request) } };
}

/** All objects converted, or none: one that can't be fails the whole request. */
function outcome({ objects, desiredAPIVersion }: ConversionReview["request"]) {
  try {
    return { result: { status: "Success" }, convertedObjects: objects.map((object) => convert(object, desiredAPIVersion)) };
  } catch (error) {
    return { result: { status: "Failed", message: error instanceof Error ? error.message : String(error) }, convertedObjects: [] };
  }
}

function convert(object: CronTab | ReportTask, desiredApiVersion: string): CronTab | ReportTask {
  return object.kind === "ReportTask" ? convertReportTask(object, desiredApiVersion) : convertCronTab(object, desiredApiVersion);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port }, () => {
      server.off("error", reject);
      // A TCP server that listens has such an address.
      resolve((server.address() as AddressInfo).port);
    });
  });
}

interface CronTab {
  apiVersion: string;
  kind?: "CronTab";
  spec?: { hostPort?: string; host?: string; port?: string; [field: string]: unknown };
  [field: string]: unknown;
}

/** A CronTab in another version: v1beta1 has hostPort, v1 has host and port. Nothing is lost either way. */
export function convertCronTab(cronTab: CronTab, desiredApiVersion: string): CronTab {
  if (cronTab.apiVersion === desiredApiVersion || !cronTab.spec) return { ...cronTab, apiVersion: desiredApiVersion };
  const { hostPort, host, port, ...rest } = cronTab.spec;
  const address = desiredApiVersion.endsWith("/v1") ? splitHostPort(hostPort) : joinHostPort(host, port);
  return { ...cronTab, apiVersion: desiredApiVersion, spec: { ...rest, ...address } };
}

function splitHostPort(hostPort: string | undefined) {
  if (hostPort === undefined) return {};
  const colon = hostPort.lastIndexOf(":");
  return colon < 0 ? { host: hostPort } : { host: hostPort.slice(0, colon), port: hostPort.slice(colon + 1) };
}

function joinHostPort(host: string | undefined, port: string | undefined): { hostPort?: string } {
  if (host === undefined && port === undefined) return {};
  return { hostPort: port === undefined ? (host ?? "") : `${host ?? ""}:${port}` };
}

export interface ReportTask {
  apiVersion: string;
  kind: "ReportTask";
  spec?: { schedule?: string; intervalMinutes?: number; [field: string]: unknown };
  [field: string]: unknown;
}

/**
 * A ReportTask in another version: v1beta1 has schedule ("every 15 minutes"), v1 has intervalMinutes. Like many a webhook,
 * it gives up on a schedule that it can't parse, in an error that doesn't say whose.
 */
export function convertReportTask(task: ReportTask, desiredApiVersion: string): ReportTask {
  if (task.apiVersion === desiredApiVersion || !task.spec) return { ...task, apiVersion: desiredApiVersion };
  const { schedule, intervalMinutes, ...rest } = task.spec;
  const times = desiredApiVersion.endsWith("/v1") ? parseSchedule(schedule) : writeSchedule(intervalMinutes);
  return { ...task, apiVersion: desiredApiVersion, spec: { ...rest, ...times } };
}

function parseSchedule(schedule: string | undefined): { intervalMinutes?: number } {
  if (schedule === undefined) return {};
  const minutes = /^every (\d+) minutes$/.exec(schedule)?.[1];
  if (minutes === undefined) throw new Error(`spec.schedule ${JSON.stringify(schedule)} can't be parsed`);
  return { intervalMinutes: Number(minutes) };
}

function writeSchedule(intervalMinutes: number | undefined): { schedule?: string } {
  return intervalMinutes === undefined ? {} : { schedule: `every ${intervalMinutes} minutes` };
}

const validityYears = 10;

/** A key and a self-signed certificate for 127.0.0.1 (PEM), made once and kept in `directory`. */
export async function webhookCertificate(directory: string): Promise<{ key: string; cert: string }> {
  const keyFile = path.join(directory, "webhook.key");
  const certFile = path.join(directory, "webhook.crt");
  const [key, cert] = await Promise.all([keyFile, certFile].map((file) => readFile(file, "utf8").catch(() => undefined)));
  if (key && cert) return { key, cert };

  const notAfter = new Date();
  notAfter.setFullYear(notAfter.getFullYear() + validityYears);
  const made = await selfSignedCertificate("crdshift demo conversion webhook", notAfter);
  await writeFile(keyFile, made.key, { mode: 0o600 });
  await writeFile(certFile, made.cert);
  return made;
}

/** What the webhook's path ends with, which only the API server and its users know; made once and kept in `directory`. */
async function webhookSecret(directory: string): Promise<string> {
  const file = path.join(directory, "webhook.secret");
  const kept = await readFile(file, "utf8").catch(() => "");
  if (kept) return kept;
  const made = randomBytes(16).toString("hex");
  await writeFile(file, made, { mode: 0o600 });
  return made;
}
