import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { sleep } from "#lib/async/sleep.ts";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import { webhookCertificate } from "#lib/local-cluster/demo/conversion-webhook.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";

const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

const IN_FORCE_WITHIN_MS = 60_000;

/** An admission webhook that keeps updates of a definition's objects waiting; dry runs pass. */
export interface HoldingWebhook {
  /** How many updates wait, or have waited. */
  held(): number;
  /** Lets every update through, those that wait too. */
  release(): void;
  remove(): Promise<void>;
}

/** In force when this returns. The first object must be there. */
export async function startHoldingWebhook(api: ApiClient, definition: SampleDefinition): Promise<HoldingWebhook> {
  const directory = await mkdtemp(join(tmpdir(), "crdshift-e2e-"));
  const certificate = await webhookCertificate(directory);
  const released = Promise.withResolvers<void>();
  let calls = 0;
  let held = 0;
  const server = createServer(certificate, async (incoming, response) => {
    const { request } = (await json(incoming)) as { request: { uid: string; dryRun?: boolean } };
    calls += 1;
    if (!request.dryRun) {
      held += 1;
      await released.promise;
    }
    const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid: request.uid, allowed: true } };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(review));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  // A TCP server that listens has such an address.
  const { port } = server.address() as AddressInfo;
  const name = `hold.${definition.group}`;
  await api.create(CONFIGURATIONS, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name },
    webhooks: [
      {
        name,
        clientConfig: { url: `https://127.0.0.1:${port}/hold`, caBundle: Buffer.from(certificate.cert).toString("base64") },
        rules: [{ apiGroups: [definition.group], apiVersions: ["*"], operations: ["UPDATE"], resources: [definition.plural] }],
        sideEffects: "NoneOnDryRun",
        admissionReviewVersions: ["v1"],
        timeoutSeconds: 30,
      },
    ],
  });
  const path = `${definition.path("v1", { name: objectName(0) })}?dryRun=All`;
  const deadline = AbortSignal.timeout(IN_FORCE_WITHIN_MS);
  while (calls === 0) {
    await sleep(50, deadline);
    await api.mergePatch(path, {});
  }
  return {
    held: () => held,
    release: released.resolve,
    async remove() {
      released.resolve();
      await api.delete(`${CONFIGURATIONS}/${name}`);
      server.close();
      server.closeAllConnections();
      await rm(directory, { recursive: true });
    },
  };
}
