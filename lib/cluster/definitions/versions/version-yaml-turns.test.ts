import type { EventEmitter } from "node:events";
import { beforeEach, expect, test, vi } from "vitest";
import { versionSpecFromYaml } from "./version-yaml.ts";

/** The workers that were started and not ended, in their order; `startFails`: none can be started. */
const here = vi.hoisted(() => ({ workers: [] as FakeWorker[], startFails: false }));

interface FakeWorker extends EventEmitter {
  version: string;
  terminate(): Promise<void>;
}

vi.mock("node:worker_threads", async (original) => {
  const { EventEmitter: Emitter } = await import("node:events");
  class Worker extends Emitter {
    readonly version: string;
    constructor(_: URL, { workerData }: { workerData: { version: string } }) {
      super();
      if (here.startFails) throw new Error("ERR_WORKER_INIT_FAILED");
      this.version = workerData.version;
      here.workers.push(this);
    }
    async terminate(): Promise<void> {
      here.workers.splice(here.workers.indexOf(this), 1);
      // As one that runs out of memory just before it is ended.
      this.emit("error", new Error("ERR_WORKER_OUT_OF_MEMORY"));
    }
  }
  return { ...(await original<object>()), Worker };
});

beforeEach(() => {
  here.startFails = false;
});

const soon = () => AbortSignal.timeout(60_000);
const read = (audience: string, version: string, signal = soon()) => versionSpecFromYaml(audience, "", version, signal);
const atWork = () => here.workers.map(({ version }) => version);

/** Lets the worker of this version end, and waits until others had a chance to begin. */
async function end(version: string): Promise<void> {
  const text = JSON.stringify({ name: version, served: false, storage: false, schema: {} });
  here.workers.find((worker) => worker.version === version)?.emit("message", { text });
  await turns();
}

const turns = () => new Promise((resolve) => setTimeout(resolve, 5));

// Without the listener (inWorker) it is nobody's: an uncaught exception ends the process, and everyone's runs.
test("an error of a worker after its request was aborted is heard", async () => {
  const leaving = new AbortController();
  const reading = read("alice", "v1", leaving.signal);
  await turns();
  leaving.abort(new Error("the reader left"));
  await expect(reading).rejects.toThrow("the reader left");
});

test("a worker that can't be started leaves its slot to others", async () => {
  here.startFails = true;
  for (let count = 0; count < 3; count += 1) await expect(read("alice", "v1")).rejects.toThrow("ERR_WORKER_INIT_FAILED");
  here.startFails = false;
  const reading = read("alice", "v1");
  await turns();
  await end("v1");
  await expect(reading).resolves.toMatchObject({ name: "v1" });
});

// Where all wait in one queue, one person's requests hold both slots, and nobody else gets an answer.
test("one person has one of the two slots, and others' requests come before their next one", async () => {
  const all = [read("alice", "a1"), read("alice", "a2"), read("alice", "a3")];
  await turns();
  expect(atWork()).toEqual(["a1"]);
  all.push(read("bob", "b1"), read("carol", "c1"));
  await turns();
  expect(atWork()).toEqual(["a1", "b1"]);
  await end("a1");
  expect(atWork()).toEqual(["b1", "c1"]);
  for (const version of ["b1", "c1", "a2", "a3"]) await end(version);
  expect((await Promise.all(all)).map(({ name }) => name)).toEqual(["a1", "a2", "a3", "b1", "c1"]);
});

test("a person's requests beyond a few are refused, and one that is aborted while it waits leaves its place", async () => {
  const leaving = new AbortController();
  const waiting = ["a2", "a3", "a4"].map((version) => read("alice", version));
  const left = read("alice", "a5", leaving.signal);
  await turns();
  const first = read("alice", "a6");
  await turns();
  await expect(read("alice", "a7")).rejects.toMatchObject({ code: "too_many_requests" });
  leaving.abort(new Error("the reader left"));
  await expect(left).rejects.toThrow("the reader left");
  const second = read("alice", "a8");
  await turns();
  for (const version of ["a2", "a3", "a4", "a6", "a8"]) await end(version);
  await expect(Promise.all([...waiting, first, second])).resolves.toHaveLength(5);
});
