import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startMeter } from "#bench/meter.ts";
import { connect } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { wholeAnswer } from "#lib/cluster/transport/whole-answer.ts";
import { onlyClient, type Turn } from "./measure-turn.ts";

/** What the child is sent first. */
export interface BareLoopOptions {
  context: string;
  /** The paths of the objects. */
  paths: string[];
  concurrency: number;
}

/** The most that lib/rewrite/pacing/adaptive-limit.ts allows. */
const CONCURRENCY = 24;

/** The limit: only the same patch to every object over the same pool and concurrency, in a separate process. */
export async function bareLoop(context: string, paths: string[]): Promise<Turn> {
  const child = fork(fileURLToPath(new URL("./bare-loop.ts", import.meta.url)), { execArgv: [] });
  const ended = new AbortController();
  child.once("exit", (code) => ended.abort(new Error(`The bare loop ended with exit code ${code}.`)));
  const options: BareLoopOptions = { context, paths, concurrency: CONCURRENCY };
  child.send(options);
  await once(child, "message", { signal: ended.signal });
  const meter = startMeter(child.pid ?? -1);
  child.send("go");
  const [seconds] = await once(child, "message", { signal: ended.signal });
  const client = onlyClient(meter.stop());
  child.disconnect();
  return { seconds: Number(seconds), waitedSeconds: 0, client };
}

/** What the child does: patches every object once told to, and says how long that took. */
async function runChild(): Promise<void> {
  const [message] = await once(process, "message");
  // The parent is bare-loop.ts of the same checkout, which sends exactly this.
  const options = message as BareLoopOptions;
  const connection = await connect(options.context);
  const headers = {
    ...(await connection.authHeaders()),
    accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    "content-type": "application/merge-patch+json",
  };
  const go = once(process, "message");
  process.send?.("ready");
  await go;
  const startedAt = performance.now();
  await patchAll(connection, headers, options);
  process.send?.((performance.now() - startedAt) / 1_000);
}

async function patchAll(
  { server: origin, dispatcher }: Connection,
  headers: Record<string, string>,
  { paths, concurrency }: BareLoopOptions,
): Promise<void> {
  const bounds = { signal: new AbortController().signal, maxBytes: Number.POSITIVE_INFINITY };
  let next = 0;
  const worker = async () => {
    for (let path = paths[next++]; path !== undefined; path = paths[next++]) {
      const { statusCode, text } = await wholeAnswer(dispatcher, { origin, path, method: "PATCH", headers, body: "{}" }, bounds);
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
      JSON.parse(text);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

if (import.meta.main) await runChild();
