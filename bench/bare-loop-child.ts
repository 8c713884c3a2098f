/** The process that bare-loop.ts forks: connects, says so, and after the next message patches all and says how many seconds that took. */
import { once } from "node:events";
import { type Connection, connect } from "#lib/cluster/connection.ts";
import { wholeAnswer } from "#lib/cluster/whole-answer.ts";
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

async function patchAll({ server: origin, dispatcher }: Connection): Promise<void> {
  const { signal } = new AbortController();
  let next = 0;
  const worker = async () => {
    for (let path = paths[next++]; path !== undefined; path = paths[next++]) {
      const { statusCode, text } = await wholeAnswer(dispatcher, { origin, path, method: "PATCH", headers, body: "{}" }, signal);
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
      JSON.parse(text);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
