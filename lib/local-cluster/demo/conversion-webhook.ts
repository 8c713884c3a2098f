import { readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { json } from "node:stream/consumers";
import { type CronTab, convertCronTab } from "./convert-cron-tab.ts";
import { webhookCertificate } from "./webhook-certificate.ts";

export interface ConversionWebhook {
  /** What a CRD's spec.conversion needs to use it. */
  conversion: { strategy: "Webhook"; webhook: { clientConfig: { url: string; caBundle: string }; conversionReviewVersions: string[] } };
  close(): void;
}

interface ConversionReview {
  request: { uid: string; desiredAPIVersion: string; objects: CronTab[] };
}

/**
 * Serves the conversion of CronTabs over TLS on loopback. Certificate and port are kept in `directory`, so that the CRD
 * made at the first start still fits; the port changes only if something else has taken it.
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
  const convertedObjects = request.objects.map((object) => convertCronTab(object, request.desiredAPIVersion));
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    response: { uid: request.uid, result: { status: "Success" }, convertedObjects },
  };
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
