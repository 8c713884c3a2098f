import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { type ApiClient, ApiError, apiClient } from "./api-client.ts";
import { type ConversionWebhook, startConversionWebhook } from "./demo/conversion-webhook.ts";
import { contentDigest, createDemoContent, webhookCrds } from "./demo/create-demo-content.ts";
import { crdName } from "./demo/demo-crd.ts";
import { localClusterEnvironment } from "./environment.ts";
import { startLocalCluster } from "./start-local-cluster.ts";

const context = "crdshift-demo";

export interface Demo {
  kubeconfig: string;
  context: string;
  stop(): Promise<void>;
}

/**
 * Starts the demo: a local cluster with content in every state. The content is created once and kept in the user's data folder
 * between starts. It is recreated with `reset`, if its creation was interrupted, or if it is from another release. Only one demo can
 * run at a time: a second start is an error that says how to use the running one.
 */
export async function startDemo(options: {
  reset: boolean;
  log: (line: string) => void;
  signal?: AbortSignal;
  /** Rewrites every object of a CRD to a proof. */
  rewriteToProof: (target: { kubeconfig: string; context: string; crd: string }) => Promise<void>;
}): Promise<Demo> {
  const { log, signal = new AbortController().signal, rewriteToProof } = options;
  const directory = path.join(localClusterEnvironment().dataDirectory, "demo");
  const completed = path.join(directory, "demo-content-is-complete");
  const digest = contentDigest();
  const kept = options.reset ? undefined : await readFile(completed, "utf8").catch(() => undefined);
  const isKept = kept === digest;
  if (kept !== undefined && !isKept) log("The saved demo is from another release: recreating it");

  await using undo = new AsyncDisposableStack();
  const cluster = await startLocalCluster({ directory, context, empty: !isKept, log, signal });
  undo.defer(cluster.stop);
  const webhook = await startConversionWebhook(directory);
  undo.defer(webhook.close);
  const client = apiClient(cluster);
  undo.defer(client.close);

  const { kubeconfig } = cluster;
  if (isKept) {
    for (const crd of webhookCrds) await pointAt(webhook, client, crdName(crd));
  } else {
    await createDemoContent({
      ...{ client, etcd: cluster.etcd, webhook, log, signal },
      rewriteToProof: (crd) => rewriteToProof({ kubeconfig, context, crd }),
    });
    await writeFile(completed, digest);
  }
  const running = undo.move();
  return { kubeconfig, context, stop: () => running.disposeAsync() };
}

/** Updates the CRD only if the webhook had to move to another port, or has another path than an earlier release gave it. */
async function pointAt({ conversion }: ConversionWebhook, client: ApiClient, crd: string): Promise<void> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd}`;
  try {
    const { spec } = await client.get<{ spec: { conversion: { webhook?: { clientConfig?: { url?: string } } } } }>(path);
    const { url } = conversion.webhook.clientConfig;
    const was = spec.conversion.webhook?.clientConfig?.url;
    // Patch only the URL: the CA bundle may contain more than this webhook's certificate.
    if (was !== undefined && was !== url) await client.mergePatch(path, { spec: { conversion: { webhook: { clientConfig: { url } } } } });
  } catch (error) {
    // A user trying the demo may have deleted the CRD.
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}
