import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** An event stream sends something more often than this. */
const STALLED_AFTER_MS = 20_000;
const LOOK_EVERY_MS = 1_000;

interface Open {
  unanswered: number;
  bytes: number;
  /** When the last byte moved, in either direction, as far as is known. */
  movedAt: number;
}

/**
 * Keeps a server's connections to a number. For one more, it closes the one that has been idle the longest, or on which no byte has moved for
 * the longest, if for 20 seconds: whoever neither ends a request nor reads an answer keeps nobody out. If there is none, it closes the new
 * one, which is what Node's own maxConnections does in any case.
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
  const longestStalled = (): Socket | undefined => {
    const before = performance.now() - STALLED_AFTER_MS;
    const stalled = [...open].filter(([, { movedAt }]) => movedAt < before);
    return stalled.sort(([, one], [, other]) => one.movedAt - other.movedAt)[0]?.[0];
  };
  const looking = setInterval(look, LOOK_EVERY_MS).unref();
  server.once("close", () => clearInterval(looking));
  server.on("connection", (socket: Socket) => {
    if (open.size >= most) {
      const [longestIdle] = idle;
      const least = longestIdle ?? longestStalled();
      (least ?? socket).destroy();
      if (least === undefined) return;
      forget(least);
    }
    open.set(socket, { unanswered: 0, bytes: 0, movedAt: performance.now() });
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
