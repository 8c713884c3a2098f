/**
 * Forgets every revision before this one, or before now, so that what was listed or watched at an older one has expired. Where etcd has
 * done so already, because nothing was written since, there is nothing to do.
 */
export async function compactEtcd(endpoint: string, revision?: string): Promise<void> {
  const asked = revision ?? (await revisionNow(endpoint));
  const answer = await post(endpoint, "/v3/kv/compaction", { revision: asked, physical: true });
  if (answer.ok) return;
  const text = await answer.text();
  if (!text.includes("required revision has been compacted")) throw new Error(`etcd answered ${answer.status}: ${text}`);
}

async function revisionNow(endpoint: string): Promise<string> {
  const answer = await post(endpoint, "/v3/kv/range", { key: Buffer.from("a").toString("base64"), limit: 1 });
  if (!answer.ok) throw new Error(`etcd answered ${answer.status}: ${await answer.text()}`);
  const { header }: { header: { revision: string } } = await answer.json();
  return header.revision;
}

async function post(endpoint: string, path: string, body: object): Promise<Response> {
  return fetch(`${endpoint}${path}`, { method: "POST", body: JSON.stringify(body) });
}
