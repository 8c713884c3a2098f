import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startMeter } from "./meter.ts";
import { onlyClient, type Turn } from "./turn.ts";

/** What the child is sent first. */
export interface BareLoopOptions {
  context: string;
  /** The paths of the objects. */
  paths: string[];
  concurrency: number;
}

/** The most that lib/rewrite/adaptive-limit.ts allows. */
const CONCURRENCY = 24;

/** The limit: the same patch to every object over the same pool and concurrency, and nothing else, in a process of its own. */
export async function bareLoop(context: string, paths: string[]): Promise<Turn> {
  const child = fork(fileURLToPath(new URL("./bare-loop-child.ts", import.meta.url)), { execArgv: [] });
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
