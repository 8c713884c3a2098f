import { readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { json } from "node:stream/consumers";
import { type CronTab, convertCronTab } from "./convert-cron-tab.ts";
import { convertReportTask, type ReportTask } from "./convert-report-task.ts";
import { webhookCertificate } from "./webhook-certificate.ts";

export interface ConversionWebhook {
  /** What a CRD's spec.conversion needs to use it. */
  conversion: { strategy: "Webhook"; webhook: { clientConfig: { url: string; caBundle: string }; conversionReviewVersions: string[] } };
  close(): void;
}

interface ConversionReview {
  request: { uid: string; desiredAPIVersion: string; objects: (CronTab | ReportTask)[] };
}

/**
 * Serves the conversion of CronTabs and ReportTasks over TLS on loopback. Certificate and port are kept in `directory`, so
 * that the CRDs made at the first start still fit; the port changes only if something else has taken it.
 */
export async function startConversionWebhook(directory: string): Promise<ConversionWebhook> {
  const certificate = await webhookCertificate(directory);
  const server = createServer(certificate, async (request, response) => {
    const body = await json(request)
      // The API server is the only caller: it has the CA, and nothing else knows the port.
      .then((review) => JSON.stringify(answer(review as ConversionReview)))
      .catch(() => undefined);
    response.writeHead(body === undefined ? 400 : 200, { "content-type": "application/json" }).end(body);
  });
  const portFile = path.join(directory, "webhook.port");
  const keptPort = Number(await readFile(portFile, "utf8").catch(() => "0"));
  const port = await listen(server, keptPort).catch(() => listen(server, 0));
  await writeFile(portFile, String(port));
  return {
    conversion: {
      strategy: "Webhook",
      webhook: {
        clientConfig: { url: `https://127.0.0.1:${port}/convert`, caBundle: Buffer.from(certificate.cert).toString("base64") },
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
