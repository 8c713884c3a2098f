const pageSize = 500;

export interface EtcdEntry {
  key: string;
  value: Uint8Array;
  modRevision: bigint;
  createRevision: bigint;
}

/**
 * Every entry whose key starts with `prefix`, in key order and all of one revision, read through etcd's gRPC gateway in
 * pages (https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway/). Custom resources are stored as JSON text.
 */
export async function readEtcd(endpoint: string, prefix: string): Promise<EtcdEntry[]> {
  const entries: EtcdEntry[] = [];
  const end = rangeEnd(Buffer.from(prefix)).toString("base64");
  let key = Buffer.from(prefix);
  let revision = "0";
  while (true) {
    const page = await range(endpoint, { key: key.toString("base64"), range_end: end, limit: pageSize, revision });
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

async function range(endpoint: string, body: object): Promise<RangeResponse> {
  const response = await fetch(`${endpoint}/v3/kv/range`, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`etcd answered ${response.status}: ${await response.text()}`);
  return response.json();
}

/** The first key that doesn't start with the prefix: its last byte plus one. */
function rangeEnd(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  const last = end.length - 1;
  end.writeUInt8(end.readUInt8(last) + 1, last);
  return end;
}

/** Puts text under a key, past the API server, through etcd's gRPC gateway (https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway/). */
export async function putIntoEtcd(endpoint: string, key: string, text: string): Promise<void> {
  const inBase64 = (plain: string) => Buffer.from(plain).toString("base64");
  const response = await fetch(`${endpoint}/v3/kv/put`, {
    method: "POST",
    body: JSON.stringify({ key: inBase64(key), value: inBase64(text) }),
  });
  if (!response.ok) throw new Error(`etcd answered ${response.status}: ${await response.text()}`);
}
