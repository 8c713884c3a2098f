import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "./network-of.ts";

/** An event stream sends something more often than this. */
const STALLED_AFTER_MS = 20_000;
const LOOK_EVERY_MS = 1_000;
/** A network keeps this share of all connections, however many other networks come: a proxy's are all people's. */
const KEPT_SHARE = 8;

interface Open {
  network: string;
  unanswered: number;
  bytes: number;
  /** When the last byte moved, in either direction, as far as is known. */
  movedAt: number;
}

/**
 * Keeps a server's connections to a number. For one more, it closes the one that has been idle the longest, or on which no byte has moved for
 * the longest, if for 20 seconds: whoever neither ends a request nor reads an answer keeps nobody out. If there is none, it closes one of the
 * network that has the most, if that is more than an eighth of all, and two more than that of the new one has; or else the new one, as
 * Node's own maxConnections always does.
 */
export function boundConnections(server: Server, most: number): void {
  const open = new Map<Socket, Open>();
  // Longest idle first. One with a request at work is not among them.
  const idle = new Set<Socket>();
  const look = () => {
    for (const [socket, one] of open) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      if (bytes !== one.bytes) Object.assign(one, { bytes, movedAt: performance.now() });
    }
  };
  const longestStill = (of: (one: Open) => boolean): Socket | undefined =>
    [...open].filter(([, one]) => of(one)).sort(([, one], [, other]) => one.movedAt - other.movedAt)[0]?.[0];
  const longestStalled = () => {
    const before = performance.now() - STALLED_AFTER_MS;
    return longestStill(({ movedAt }) => movedAt < before);
  };
  const oneOfTheMost = (newcomer: string) => {
    const networks = Map.groupBy(open.values(), ({ network }) => network);
    const [[name, theirs] = ["", []]] = [...networks].sort(([, one], [, other]) => other.length - one.length);
    const own = networks.get(newcomer)?.length ?? 0;
    return theirs.length > Math.max(own + 1, most / KEPT_SHARE) ? longestStill(({ network }) => network === name) : undefined;
  };
  const looking = setInterval(look, LOOK_EVERY_MS).unref();
  server.once("close", () => clearInterval(looking));
  server.on("connection", (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? "");
    if (open.size >= most) {
      const [longestIdle] = idle;
      const least = longestIdle ?? longestStalled() ?? oneOfTheMost(network);
      (least ?? socket).destroy();
      if (least === undefined) return;
      forget(least);
    }
    open.set(socket, { network, unanswered: 0, bytes: 0, movedAt: performance.now() });
    idle.add(socket);
    socket.once("close", () => forget(socket));
  });
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const one = open.get(socket);
    if (!one) return;
    idle.delete(socket);
    one.unanswered += 1;
    response.once("close", () => {
      one.unanswered -= 1;
      if (one.unanswered === 0 && open.has(socket)) idle.add(socket);
    });
  });

  function forget(socket: Socket): void {
    open.delete(socket);
    idle.delete(socket);
  }
}
