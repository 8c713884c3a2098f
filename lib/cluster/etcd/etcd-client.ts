import { Agent, request } from "undici";
import { z } from "zod";
import { untilAborted } from "#lib/async/until-aborted.ts";
import { AppError, errorMessage } from "#lib/contract/app-error.ts";
import type { EtcdCredentials } from "./etcd-credentials.ts";

/** A range of keys at one revision. Source: etcd's api/etcdserverpb/rpc.proto, RangeRequest, in the JSON of its gRPC gateway. */
export interface EtcdRange {
  key: Buffer;
  /** The first key after the range; without it, only `key`. */
  end?: Buffer;
  limit: number;
  /** Null for the newest. */
  revision: string | null;
  /** Longer responses are abandoned. */
  maxBytes: number;
}

export type EtcdAnswer =
  | { kind: "entries"; entries: EtcdEntry[]; revision: string; total: number; more: boolean; bytes: number }
  | { kind: "compacted" }
  | { kind: "too-large" };

export interface EtcdEntry {
  key: Buffer;
  value: Buffer;
  /** The resourceVersion of the object. */
  modRevision: string;
}

export interface EtcdClient {
  /** Asks the endpoint that answered last, then the others if it fails. Throws AppError with every cause if all fail. */
  range(range: EtcdRange, signal: AbortSignal): Promise<EtcdAnswer>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 3_000;
const SILENCE_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;

// Default values are omitted, and 64-bit numbers are strings: https://protobuf.dev/programming-guides/json/
const rangeSchema = z.object({
  header: z.object({ revision: z.string(), cluster_id: z.string() }),
  kvs: z.array(z.object({ key: z.string(), value: z.string().default(""), mod_revision: z.string() })).default([]),
  more: z.boolean().default(false),
  count: z.coerce.number().default(0),
});
const errorSchema = z.object({ message: z.string() });

/** Reads etcd through the gRPC gateway of its client endpoints: https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway/ */
export function etcdClient(endpoints: readonly string[], credentials: EtcdCredentials): EtcdClient {
  const dispatcher = new Agent({ connections: 1, allowH2: false, connect: { ...credentials, timeout: CONNECT_TIMEOUT_MS } });
  let order = [...endpoints];
  let clusterId: string | null = null;

  const ask = async (endpoint: string, range: EtcdRange, signal: AbortSignal): Promise<EtcdAnswer> => {
    const { status, text } = await post(dispatcher, `${endpoint}/v3/kv/range`, range, signal);
    if (text === null) return { kind: "too-large" };
    if (status !== 200) {
      const message = errorSchema.safeParse(parseJson(text)).data?.message ?? text.slice(0, 300);
      if (message.includes("required revision has been compacted")) return { kind: "compacted" };
      throw new Error(`HTTP ${status}: ${message}`);
    }
    const parsed = rangeSchema.safeParse(parseJson(text));
    if (!parsed.success) throw new Error("it doesn't answer like etcd's gRPC gateway");
    const { header, kvs, more, count } = parsed.data;
    clusterId ??= header.cluster_id;
    // Revisions of one cluster mean nothing in another.
    if (clusterId !== header.cluster_id) throw new Error("it belongs to a different etcd cluster than the other endpoints");
    const entries = kvs.map(({ key, value, mod_revision }) => ({
      key: Buffer.from(key, "base64"),
      value: Buffer.from(value, "base64"),
      modRevision: mod_revision,
    }));
    return { kind: "entries", entries, revision: header.revision, total: count, more, bytes: text.length };
  };

  return {
    async range(range, signal) {
      const failures: string[] = [];
      for (const endpoint of order) {
        try {
          const answer = await ask(endpoint, range, signal);
          order = [endpoint, ...order.filter((other) => other !== endpoint)];
          return answer;
        } catch (error) {
          signal.throwIfAborted();
          failures.push(`${endpoint}: ${errorMessage(error)}`);
        }
      }
      throw new AppError("cluster_unreachable", "etcd can't be read.", {
        clusterMessage: failures.join("; "),
        nextStep: "Check CRDSHIFT_ETCD_ENDPOINTS, the certificates and the network; etcd must have its gRPC gateway enabled.",
      });
    },
    close: () => dispatcher.destroy(),
  };
}

/** The answer's text; null if it was abandoned as too large. */
async function post(
  dispatcher: Agent,
  url: string,
  { key, end, limit, revision, maxBytes }: EtcdRange,
  caller: AbortSignal,
): Promise<{ status: number; text: string | null }> {
  const signal = AbortSignal.any([caller, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
  const json = { key: key.toString("base64"), limit, ...(end && { range_end: end.toString("base64") }), ...(revision && { revision }) };
  const sent = request(url, {
    ...{ dispatcher, signal, method: "POST", headersTimeout: SILENCE_TIMEOUT_MS, bodyTimeout: SILENCE_TIMEOUT_MS },
    headers: { "content-type": "application/json" },
    body: JSON.stringify(json),
  });
  // undici heeds the signal only once the request has a connection.
  const { statusCode, body } = await untilAborted(sent, signal);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return { status: statusCode, text: null };
    chunks.push(chunk);
  }
  return { status: statusCode, text: Buffer.concat(chunks).toString("utf8") };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
