import { access, writeFile } from "node:fs/promises";
import path from "node:path";
import { type ApiClient, apiClient } from "./api-client.ts";
import { ApiError } from "./api-error.ts";
import { type ConversionWebhook, startConversionWebhook } from "./demo/conversion-webhook.ts";
import { createDemoContent } from "./demo/create-demo-content.ts";
import { cronTabs } from "./demo/cron-tabs.ts";
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
 * Starts the demo: a local cluster with content in every state. The content is made once, kept in the user's data folder
 * between starts, and made anew with `reset` (or if making it was interrupted). One demo runs at a time: a second start
 * is an error that says how to use the one that runs.
 */
export async function startDemo(options: {
  reset: boolean;
  log: (line: string) => void;
  signal?: AbortSignal;
  /** Rewrites every object of a CRD until there is a proof. */
  rewriteToProof: (target: { kubeconfig: string; context: string; crd: string }) => Promise<void>;
}): Promise<Demo> {
  const { log, signal = new AbortController().signal, rewriteToProof } = options;
  const directory = path.join(localClusterEnvironment().dataDirectory, "demo");
  const completed = path.join(directory, "demo-content-is-complete");
  const isKept = !options.reset && (await exists(completed));

  await using undo = new AsyncDisposableStack();
  const cluster = await startLocalCluster({ directory, context, empty: !isKept, log, signal });
  undo.defer(cluster.stop);
  const webhook = await startConversionWebhook(directory);
  undo.defer(webhook.close);
  const client = apiClient(cluster);
  undo.defer(client.close);

  const { kubeconfig } = cluster;
  if (isKept) {
    await pointAt(webhook, client);
  } else {
    await createDemoContent({ client, webhook, log, signal, rewriteToProof: (crd) => rewriteToProof({ kubeconfig, context, crd }) });
    await writeFile(completed, "");
  }
  const running = undo.move();
  return { kubeconfig, context, stop: () => running.disposeAsync() };
}

/** Leaves the cron tabs' CRD as it is, unless the webhook had to move to another port. */
async function pointAt({ conversion }: ConversionWebhook, client: ApiClient): Promise<void> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crdName(cronTabs)}`;
  try {
    const crd = await client.get<{ spec: { conversion: { webhook?: { clientConfig?: { url?: string } } } } }>(path);
    const url = crd.spec.conversion.webhook?.clientConfig?.url;
    if (url !== undefined && url !== conversion.webhook.clientConfig.url) await client.mergePatch(path, { spec: { conversion } });
  } catch (error) {
    // Somebody who tried the demo may have deleted it.
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
