import type { Connection } from "#lib/cluster/connection/connection.ts";
import { requestLines } from "#lib/cluster/transport/request.ts";

const METRIC = /^apiserver_request_total\{([^}]*)\} (\S+)$/;
const TIMEOUT_MS = 60_000;

/**
 * The requests for widgets of a group that the API server has answered since its start, by verb, watches apart.
 * Source: kubernetes.io "Kubernetes Metrics Reference", apiserver_request_total.
 */
export async function countRequests(connection: Connection, group: string): Promise<Map<string, number>> {
  const requests = new Map<string, number>();
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  for await (const line of requestLines(connection, { path: "/metrics", accept: "text/plain", signal, timeoutMs: TIMEOUT_MS })) {
    const [, labels = "", count = ""] = METRIC.exec(line) ?? [];
    const verb = /verb="([^"]*)"/.exec(labels)?.[1] ?? "";
    if (verb === "" || verb === "WATCH" || !labels.includes(`group="${group}"`)) continue;
    requests.set(verb, (requests.get(verb) ?? 0) + Number(count));
  }
  return requests;
}

/** What has been added to `before`, verbs with nothing left out. */
export function requestsSince(before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): Map<string, number> {
  const added = [...now].map(([verb, count]) => [verb, count - (before.get(verb) ?? 0)] as const);
  return new Map(added.filter(([, count]) => count > 0));
}
