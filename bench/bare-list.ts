import { request } from "undici";
import type { Connection } from "#lib/cluster/connection.ts";

/** One list of all objects' metadata below a path in pages of 500, and nothing else. Gives the seconds it took. */
export async function bareList(connection: Connection, path: string): Promise<number> {
  const headers = { ...(await connection.authHeaders()), accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" };
  const startedAt = performance.now();
  let next = "";
  do {
    const query = new URLSearchParams({ limit: "500", ...(next && { continue: next }) });
    const url = `${connection.server}${path}?${query}`;
    const { statusCode, body } = await request(url, { dispatcher: connection.dispatcher, headers });
    if (statusCode !== 200) throw new Error(`${url}: ${statusCode}`);
    const list = (await body.json()) as { metadata: { continue?: string } };
    next = list.metadata.continue ?? "";
  } while (next);
  return (performance.now() - startedAt) / 1_000;
}
