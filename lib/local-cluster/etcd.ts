import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";

const pageSize = 500;

/** An etcd that serves only who has its certificate: one that is the server's, the client's, and the CA of both. */
export interface Etcd {
  /** The client endpoint, https://127.0.0.1:port */
  url: string;
  /** Paths of PEM files; the key's has mode 0600. */
  certFile: string;
  keyFile: string;
}

/** Connections to each etcd; idle ones keep no process alive. Not by URL: a later etcd on the same port has another certificate. */
const agents = new WeakMap<Etcd, https.Agent>();

/** POSTs JSON to etcd's gRPC gateway (https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway/). Throws unless it answers 200. */
export async function postToEtcd(etcd: Etcd, path: string, body: object, signal?: AbortSignal): Promise<unknown> {
  return JSON.parse(await text(await streamFromEtcd(etcd, path, body, signal)));
}

/** The same, with the answer as it arrives. */
export async function streamFromEtcd(etcd: Etcd, path: string, body: object, signal?: AbortSignal): Promise<IncomingMessage> {
  const agent = agents.get(etcd) ?? (await agentOf(etcd));
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = https.request(etcd.url + path, { agent, method: "POST", ...(signal && { signal }) }, resolve);
    request.on("error", reject).end(JSON.stringify(body));
  });
  if (answer.statusCode !== 200) throw new Error(`etcd answered ${answer.statusCode}: ${await text(answer)}`);
  return answer;
}

async function agentOf(etcd: Etcd): Promise<https.Agent> {
  const { certFile, keyFile } = etcd;
  const [cert, key] = [await readFile(certFile, "utf8"), await readFile(keyFile, "utf8")];
  const agent = new https.Agent({ ca: cert, cert, key, keepAlive: true });
  agents.set(etcd, agent);
  return agent;
}

export interface EtcdEntry {
  key: string;
  value: Uint8Array;
  modRevision: bigint;
  createRevision: bigint;
}

/**
 * Every entry whose key starts with `prefix`, in key order and all of one revision, read in pages. Custom resources are stored as JSON text.
 */
export async function readEtcd(etcd: Etcd, prefix: string): Promise<EtcdEntry[]> {
  const entries: EtcdEntry[] = [];
  const end = rangeEnd(Buffer.from(prefix)).toString("base64");
  let key = Buffer.from(prefix);
  let revision = "0";
  while (true) {
    const page = await range(etcd, { key: key.toString("base64"), range_end: end, limit: pageSize, revision });
    revision = page.header.revision;
    for (const { key: name, value = "", mod_revision, create_revision } of page.kvs ?? []) {
      entries.push({
        key: Buffer.from(name, "base64").toString("utf8"),
        value: Buffer.from(value, "base64"),
        modRevision: BigInt(mod_revision),
        createRevision: BigInt(create_revision),
      });
    }
    const last = page.kvs?.at(-1);
    if (!page.more || !last) return entries;
    // The smallest key after the last one is that key with a zero byte.
    key = Buffer.concat([Buffer.from(last.key, "base64"), Buffer.from([0])]);
  }
}

interface RangeResponse {
  header: { revision: string };
  kvs?: Array<{ key: string; value?: string; mod_revision: string; create_revision: string }>;
  more?: boolean;
}

async function range(etcd: Etcd, body: object): Promise<RangeResponse> {
  // What etcd's api/etcdserverpb/rpc.proto says.
  return (await postToEtcd(etcd, "/v3/kv/range", body)) as RangeResponse;
}

/** The first key that doesn't start with the prefix: its last byte plus one. */
function rangeEnd(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  const last = end.length - 1;
  end.writeUInt8(end.readUInt8(last) + 1, last);
  return end;
}

/** Puts text under a key, past the API server. */
export async function putIntoEtcd(etcd: Etcd, key: string, value: string): Promise<void> {
  const inBase64 = (plain: string) => Buffer.from(plain).toString("base64");
  await postToEtcd(etcd, "/v3/kv/put", { key: inBase64(key), value: inBase64(value) });
}
