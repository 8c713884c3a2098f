import { request } from "undici";
import type { Connection } from "#lib/cluster/connection.ts";
import { WIDGETS } from "./widgets.ts";

/** The limit: the same patch to every object over the same pool and concurrency, and nothing else. Gives the seconds it took. */
export async function bareLoop(
  connection: Connection,
  { version, count, concurrency }: { version: string; count: number; concurrency: number },
) {
  const headers = {
    ...(await connection.authHeaders()),
    accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    "content-type": "application/merge-patch+json",
  };
  const startedAt = performance.now();
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) {
      const path = `${WIDGETS.path}/${version}/namespaces/default/widgets/widget-${String(index).padStart(6, "0")}`;
      const { dispatcher, server } = connection;
      const { statusCode, body } = await request(`${server}${path}`, { dispatcher, method: "PATCH", headers, body: "{}" });
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
      await body.json();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return (performance.now() - startedAt) / 1_000;
}
