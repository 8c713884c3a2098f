/** The process that bare-loop.ts forks: connects, says so, and after the next message patches all and says how many seconds that took. */
import { once } from "node:events";
import { request } from "undici";
import { type Connection, connect } from "#lib/cluster/connection.ts";
import type { BareLoopOptions } from "./bare-loop.ts";

const [message] = await once(process, "message");
// The parent is bare-loop.ts of the same checkout, which sends exactly this.
const { context, paths, concurrency } = message as BareLoopOptions;
const connection = await connect(context);
const headers = {
  ...(await connection.authHeaders()),
  accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  "content-type": "application/merge-patch+json",
};
const go = once(process, "message");
process.send?.("ready");
await go;
const startedAt = performance.now();
await patchAll(connection);
process.send?.((performance.now() - startedAt) / 1_000);

async function patchAll({ server, dispatcher }: Connection): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let path = paths[next++]; path !== undefined; path = paths[next++]) {
      const { statusCode, body } = await request(`${server}${path}`, { dispatcher, method: "PATCH", headers, body: "{}" });
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
      await body.json();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
