import { readFileSync } from "node:fs";
import https from "node:https";
import { setTimeout } from "node:timers/promises";
import type { LocalCluster } from "./start-local-cluster.ts";

const connections = 16;
const timeoutMs = 60_000;
const turnedAwayMost = 10;
const JSON_TYPE = "application/json";

export interface KubernetesObject {
  apiVersion?: string;
  kind?: string;
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    generation?: number;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    [field: string]: unknown;
  };
  [field: string]: unknown;
}
export interface KubernetesList<T = KubernetesObject> {
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  items: T[];
}
export type ApiClient = ReturnType<typeof apiClient>;

/**
 * The little of a Kubernetes client that building demo content and tests takes, over at most 16 keep-alive connections.
 * Paths are the API server's own, such as "/api/v1/namespaces". An answer other than 2xx is thrown as ApiError with the
 * server's message. What the answers hold is for the caller to know: they are not checked.
 */
export function apiClient(cluster: Pick<LocalCluster, "server" | "token" | "caFile">) {
  const agent = new https.Agent({ keepAlive: true, maxSockets: connections, ca: readFileSync(cluster.caFile) });

  async function request<T = KubernetesObject>(
    method: string,
    path: string,
    body?: unknown,
    contentType?: string,
    accept?: string,
  ): Promise<T> {
    for (let turnedAway = 0; ; turnedAway++) {
      try {
        return await send(method, path, body, contentType, accept);
      } catch (error) {
        if (!isTurnedAway(error) || turnedAway === turnedAwayMost) throw error;
        await setTimeout(200);
      }
    }
  }

  function send<T>(method: string, path: string, body?: unknown, contentType = JSON_TYPE, accept = JSON_TYPE): Promise<T> {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = https.request(new URL(path, cluster.server), {
        agent,
        method,
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          authorization: `Bearer ${cluster.token}`,
          accept,
          ...(payload !== undefined && {
            "content-type": contentType,
            "content-length": Buffer.byteLength(payload),
          }),
        },
      });
      sent.on("error", reject);
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          const status = response.statusCode ?? 0;
          if (status < 200 || status > 299) reject(apiError(method, path, status, text));
          else resolve(JSON.parse(text));
        });
      });
      sent.end(payload);
    });
  }

  return {
    request,
    get: <T = KubernetesObject>(path: string) => request<T>("GET", path),
    list: <T = KubernetesObject>(path: string) => request<KubernetesList<T>>("GET", path),
    create: <T = KubernetesObject>(path: string, body: unknown) => request<T>("POST", path, body),
    mergePatch: <T = KubernetesObject>(path: string, body: unknown, options: { subresource?: string } = {}) =>
      request<T>("PATCH", options.subresource ? `${path}/${options.subresource}` : path, body, "application/merge-patch+json"),
    delete: (path: string) => request("DELETE", path),
    /** Closes the idle connections; needed only where the process goes on for long. */
    close: () => agent.destroy(),
  };
}

/**
 * While a definition's old handler goes and its new one comes, the API server says so of a request that it does nothing of
 * (WithWaitGroup in apiextensions-apiserver/pkg/apiserver/customresource_handler.go).
 */
function isTurnedAway(error: unknown): boolean {
  return error instanceof ApiError && error.status === 503 && error.message.endsWith("apiserver is shutting down");
}

/** The API server's refusal: the HTTP status, and reason and message of the Status object where it sent one. */
export class ApiError extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(message: string, status: number, reason: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.reason = reason;
  }
}

/** Reads the error out of an answer, which may be plain text ("404 page not found"). */
export function apiError(method: string, path: string, status: number, text: string): ApiError {
  const { message, reason } = readStatus(text);
  return new ApiError(`${method} ${path}: ${status} ${message || text.trim()}`, status, reason);
}

function readStatus(text: string): { message: string; reason: string } {
  try {
    const { message, reason } = JSON.parse(text);
    return { message: String(message ?? ""), reason: String(reason ?? "") };
  } catch {
    return { message: "", reason: "" };
  }
}
