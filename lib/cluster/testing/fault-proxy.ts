import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Agent, createServer, request as forward } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { TestCluster } from "#lib/local-cluster/testing/vitest-global-setup.ts";

/** A request that came to the proxy. Times are ms of performance.now(); the answer's are null while there is none. */
export interface SeenRequest {
  at: number;
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  status: number | null;
  answeredAt: number | null;
}

export type Match = (request: SeenRequest) => boolean;

/** What happens to a request in place of being passed on as it is. */
export type Fault =
  /** It is passed on later. */
  | { kind: "delay"; ms: number }
  /** The proxy answers by itself, and the API server never hears of it. */
  | { kind: "answer"; status: number; headers?: OutgoingHttpHeaders; body: string }
  /** The connection ends: before the API server hears of it, or when it has answered. */
  | { kind: "reset"; when: "before" | "after" }
  /** Half of the API server's answer arrives, then the connection ends. */
  | { kind: "truncate" }
  /** The API server has answered, but nothing of it ever arrives. */
  | { kind: "hang" }
  /** The API server's answer arrives changed. */
  | { kind: "edit"; status?: number; change(body: string): string };

/** Faults that are being made. */
export interface Injected {
  /** How many requests met it. */
  hits(): number;
  stop(): void;
}

/** Requests that are being held. */
export interface Held {
  /** Resolves with the first one once it is there. */
  reached: Promise<SeenRequest>;
  /** Lets it, and those that it would hold, go on; one whose client is gone meanwhile is dropped. */
  release(): void;
}

/** An HTTPS proxy in front of the test's API server, for this test: it sees every request, and injects faults. */
export interface FaultProxy {
  /** https://127.0.0.1:port; the API server's own certificate fits. */
  server: string;
  /** Every request that came, in order. */
  seen: readonly SeenRequest[];
  /** The first `times` requests that match meet the fault; where several would, the latest. A request may be held, too. */
  inject(match: Match, fault: Fault, times?: number): Injected;
  /** Holds the first `times` requests that match, before the API server hears of them or once it has answered. */
  hold(match: Match, when: "before" | "after", times?: number): Held;
  /** From now on the Date header of every answer is ahead by this many ms. */
  aheadBy(ms: number): void;
}

interface Rule {
  match: Match;
  left: number;
  hits: number;
}
type FaultRule = Rule & { fault: Fault };
type HoldRule = Rule & { when: "before" | "after"; arrived(seen: SeenRequest): void; free: Promise<void> };

export async function faultProxy(cluster: Pick<TestCluster, "server" | "caFile">): Promise<FaultProxy> {
  const ca = readFileSync(cluster.caFile);
  const key = readFileSync(join(dirname(cluster.caFile), "apiserver.key"));
  const agent = new Agent({ keepAlive: true, ca });
  const seen: SeenRequest[] = [];
  const faults: FaultRule[] = [];
  const holds: HoldRule[] = [];
  let aheadMs = 0;
  const sockets = new Set<Socket>();

  const take = <R extends Rule>(rules: R[], request: SeenRequest): R | null => {
    const rule = rules.findLast((one) => one.left > 0 && one.match(request));
    if (!rule) return null;
    rule.left -= 1;
    rule.hits += 1;
    return rule;
  };
  const waitAt = async (when: HoldRule["when"], hold: HoldRule | null, request: SeenRequest) => {
    if (hold?.when !== when) return;
    hold.arrived(request);
    await hold.free;
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { method = "GET", url: path = "/", headers } = incoming;
    const at = performance.now();
    const request: SeenRequest = { at, method, path, headers, body: await text(incoming), status: null, answeredAt: null };
    seen.push(request);
    response.on("finish", () => Object.assign(request, { status: response.statusCode, answeredAt: performance.now() }));
    const [hold, fault] = [take(holds, request), take(faults, request)?.fault];
    await waitAt("before", hold, request);
    if (fault?.kind === "delay") await wait(fault.ms);
    if (fault?.kind === "reset" && fault.when === "before") return void incoming.socket.destroy();
    if (fault?.kind === "answer") return void response.writeHead(fault.status, fault.headers).end(fault.body);
    // A client that was killed while its request was held never sent it.
    if (response.destroyed) return;

    const answer = await passOn(request, response);
    if (answer.headers.date) answer.headers.date = new Date(Date.parse(answer.headers.date) + aheadMs).toUTCString();
    const isChanged = fault !== undefined && fault.kind !== "delay";
    if (!isChanged && hold?.when !== "after") return stream(answer, response);
    const body = await text(answer);
    await waitAt("after", hold, request);
    if (fault?.kind === "hang") return;
    if (fault?.kind === "reset") return void incoming.socket.destroy();
    const status = (fault?.kind === "edit" && fault.status) || (answer.statusCode ?? 0);
    const sent = fault?.kind === "edit" ? fault.change(body) : body;
    const { "transfer-encoding": _, ...rest } = answer.headers;
    response.writeHead(status, { ...rest, "content-length": Buffer.byteLength(sent) });
    if (fault?.kind === "truncate") return void response.write(sent.slice(0, sent.length / 2), () => incoming.socket.destroy());
    response.end(sent);
  };

  const passOn = ({ method, path, headers, body }: SeenRequest, response: ServerResponse) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const upstream = forward(new URL(path, cluster.server), {
        agent,
        method,
        headers: { ...headers, host: new URL(cluster.server).host },
      });
      upstream.on("response", resolve).on("error", reject);
      response.on("close", () => upstream.destroy());
      upstream.end(body);
    });

  const proxy = createServer({ cert: ca, key }, (incoming, response) => {
    handle(incoming, response).catch(() => incoming.socket.destroy());
  });
  proxy.on("secureConnection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
  const frees: (() => void)[] = [];
  onTestFinished(() => {
    for (const free of frees) free();
    proxy.close();
    for (const socket of sockets) socket.destroy();
    agent.destroy();
  });

  return {
    // A TCP server that listens has such an address.
    server: `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    seen,
    inject(match, fault, times = Number.POSITIVE_INFINITY) {
      const rule: FaultRule = { match, fault, left: times, hits: 0 };
      faults.push(rule);
      return {
        hits: () => rule.hits,
        stop() {
          rule.left = 0;
        },
      };
    },
    hold(match, when, times = 1) {
      const [reached, free] = [Promise.withResolvers<SeenRequest>(), Promise.withResolvers<void>()];
      const rule: HoldRule = { match, left: times, hits: 0, when, arrived: reached.resolve, free: free.promise };
      holds.push(rule);
      frees.push(free.resolve);
      const release = () => {
        rule.left = 0;
        free.resolve();
      };
      return { reached: reached.promise, release };
    },
    aheadBy(ms) {
      aheadMs = ms;
    },
  };
}

function stream(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 0, answer.headers);
  answer.on("error", () => response.destroy());
  answer.pipe(response);
}
