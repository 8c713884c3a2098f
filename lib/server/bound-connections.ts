import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Keeps a server's connections to a number. For one more, it closes the one that has been idle the longest, so that idle ones keep nobody
 * out; if each has a request at work, it closes the new one. Node's own maxConnections closes the new one in either case.
 */
export function boundConnections(server: Server, most: number): void {
  // Longest idle first. One with a request at work is not among them.
  const idle = new Set<Socket>();
  const unanswered = new Map<Socket, number>();
  server.on("connection", (socket: Socket) => {
    const [longest] = idle;
    if (unanswered.size >= most) {
      (longest ?? socket).destroy();
      if (longest === undefined) return;
    }
    unanswered.set(socket, 0);
    idle.add(socket);
    socket.once("close", () => {
      unanswered.delete(socket);
      idle.delete(socket);
    });
  });
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket);
    unanswered.set(socket, (unanswered.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = (unanswered.get(socket) ?? 1) - 1;
      if (socket.destroyed) return;
      unanswered.set(socket, left);
      if (left === 0) idle.add(socket);
    });
  });
}
