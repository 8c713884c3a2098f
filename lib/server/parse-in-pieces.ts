import type { Server } from "node:http";
import type { Socket } from "node:net";

const PIECE_BYTES = 1024;

/**
 * Has the server parse what arrives in pieces of a kibibyte, and none of them once the connection is closed or paused. Node reads 64 KiB at
 * once, which may be 2,500 requests, and works on each of them whatever the first ones did to the connection: fifty of these took seconds.
 * Not for a server that upgrades connections.
 */
export function parseInPieces(server: Server): void {
  server.on("connection", (socket: Socket) => {
    const [parse] = socket.listeners("data");
    if (!parse) return;
    socket.removeAllListeners("data");
    // With a listener of ours, Node no longer hands the bytes to its parser before anyone sees them.
    socket.on("data", (bytes: Buffer) => {
      for (let at = 0; at < bytes.length && !socket.destroyed; at += PIECE_BYTES) {
        // Node pauses a connection whose answers or body nobody reads, and parses nothing more until it resumes it.
        if (socket.isPaused()) return void socket.unshift(ownRest(bytes.subarray(at)));
        parse.call(socket, bytes.subarray(at, at + PIECE_BYTES));
      }
    });
  });
}

/** What is left of the bytes, without what was before them in memory. Copied once a quarter is gone, so at most three times in all. */
function ownRest(rest: Buffer): Buffer {
  return rest.length < 0.75 * rest.buffer.byteLength ? Buffer.from(rest) : rest;
}
