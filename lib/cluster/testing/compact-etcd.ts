/** Forgets every revision before this one, or before now, so that what was listed or watched at an older one has expired. */
export async function compactEtcd(endpoint: string, revision?: string): Promise<void> {
  const { header } = await post(endpoint, "/v3/kv/range", { key: Buffer.from("a").toString("base64"), limit: 1 });
  await post(endpoint, "/v3/kv/compaction", { revision: revision ?? header.revision, physical: true });
}

async function post(endpoint: string, path: string, body: object): Promise<{ header: { revision: string } }> {
  const response = await fetch(`${endpoint}${path}`, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`etcd answered ${response.status}: ${await response.text()}`);
  return response.json();
}
