import { type Etcd, postToEtcd } from "#lib/local-cluster/etcd.ts";

/**
 * Forgets every revision before this one, or before now, so that what was listed or watched at an older one has expired. Where etcd has
 * done so already, because nothing was written since, there is nothing to do.
 */
export async function compactEtcd(etcd: Etcd, revision?: string): Promise<void> {
  const asked = revision ?? (await revisionNow(etcd));
  await postToEtcd(etcd, "/v3/kv/compaction", { revision: asked, physical: true }).catch((error: unknown) => {
    if (!String(error).includes("required revision has been compacted")) throw error;
  });
}

async function revisionNow(etcd: Etcd): Promise<string> {
  const { header } = (await postToEtcd(etcd, "/v3/kv/range", { key: Buffer.from("a").toString("base64"), limit: 1 })) as {
    header: { revision: string };
  };
  return header.revision;
}
