import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { connect } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { wholeAnswer } from "#lib/cluster/transport/whole-answer.ts";

export const kinds = ["get", "update", "list"] as const;
export type Kind = (typeof kinds)[number];
/** Milliseconds from when each request was due to its whole answer. */
export type Latencies = Record<Kind, number[]>;

/** Where they work. */
export interface Place {
  name: string;
  /** Paths of objects. */
  objects: string[];
  /** The path of their list. */
  list: string;
  /** What they send there. */
  kinds: readonly Kind[];
}

/** A second, in each place. */
export const PER_SECOND: Record<Kind, number> = { get: 20, update: 5, list: 2 };

interface OtherClientsOptions {
  context: string;
  places: Place[];
}

/** Clients of the API server like a cluster's controllers and people, in a process of their own. */
export interface OtherClients {
  /** What they have measured since the last call, by the place's name. */
  take(): Promise<Record<string, Latencies>>;
  stop(): void;
}

/** Starts them. They send at a fixed rate, whether or not answers have come: whoever waits for one would measure fewer of the slow ones. */
export async function startOtherClients(context: string, places: Place[]): Promise<OtherClients> {
  const child = fork(fileURLToPath(import.meta.url), { execArgv: [] });
  const ended = new AbortController();
  child.once("exit", (code) => ended.abort(new Error(`The other clients ended with exit code ${code}.`)));
  child.send({ context, places } satisfies OtherClientsOptions);
  await once(child, "message", { signal: ended.signal });
  return {
    async take() {
      const answer = once(child, "message", { signal: ended.signal });
      child.send("take");
      const [latencies] = await answer;
      // The child is this file of the same checkout, which sends exactly this.
      return latencies as Record<string, Latencies>;
    },
    stop: () => void child.disconnect(),
  };
}

/** What the child does, until it is disconnected. */
async function runChild(): Promise<void> {
  const [message] = await once(process, "message");
  // The parent is this file of the same checkout.
  const { context, places } = message as OtherClientsOptions;
  const connection = await connect(context);
  let measured = empty(places);
  process.on("message", () => {
    process.send?.(measured);
    measured = empty(places);
  });
  process.on("disconnect", () => process.exit(0));
  process.send?.("ready");
  const note = (place: string, kind: Kind, ms: number) => measured[place]?.[kind].push(ms);
  await Promise.all(places.flatMap((place) => place.kinds.map((kind) => sendForEver(connection, place, kind, note))));
}

function empty(places: Place[]): Record<string, Latencies> {
  return Object.fromEntries(places.map(({ name }) => [name, { get: [], update: [], list: [] }]));
}

async function sendForEver(
  connection: Connection,
  place: Place,
  kind: Kind,
  note: (place: string, kind: Kind, ms: number) => void,
): Promise<never> {
  const everyMs = 1_000 / PER_SECOND[kind];
  for (let [count, dueAt] = [0, performance.now()]; ; count += 1, dueAt += everyMs) {
    await sleep(Math.max(0, dueAt - performance.now()));
    const due = dueAt;
    void send(connection, place, kind, count).then(() => note(place.name, kind, performance.now() - due));
  }
}

/** Another object each time, in no order that the rewrite beside it has. */
const STEP = 7_919;
const PAGE = 500;

async function send({ server: origin, dispatcher, authHeaders }: Connection, place: Place, kind: Kind, count: number): Promise<void> {
  const object = place.objects[(count * STEP) % place.objects.length] ?? "";
  const bounds = { signal: AbortSignal.timeout(60_000), maxBytes: Number.POSITIVE_INFINITY };
  const headers = { ...(await authHeaders()), accept: "application/json", "content-type": "application/merge-patch+json" };
  const body = JSON.stringify({ metadata: { annotations: { "bench.crdshift.dev/count": String(count) } } });
  const request = {
    get: { method: "GET", path: object },
    update: { method: "PATCH", path: object, body },
    list: { method: "GET", path: `${place.list}?limit=${PAGE}` },
  } as const;
  const { statusCode } = await wholeAnswer(dispatcher, { origin, headers, ...request[kind] }, bounds);
  if (statusCode !== 200) throw new Error(`${kind} of ${object}: ${statusCode}`);
}

if (import.meta.main) await runChild();
