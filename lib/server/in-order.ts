import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { outsideRequests } from "#lib/async/outside-requests.ts";

/** Browsers and proxies send the next request of a connection once the one before is answered. */
const MOST_WAITING = { ofConnection: 7, inAll: 256 };

interface Line {
  isAtWork: boolean;
  /** What begins each waiting request, oldest first. */
  waiting: (() => void)[];
}

const lines = new WeakMap<Socket, Line>();
let waitingInAll = 0;

/**
 * Answers a connection's requests one after the other, as HTTP/1.1 has it: one that sends a thousand without reading an answer would
 * otherwise have all of them worked on at once. A connection is closed if more than seven of its requests wait, or 256 of all connections:
 * each takes memory for its headers. It is closed, too, if one would have to wait whose body's length isn't known.
 * Source: RFC 9112, section 9.3.2.
 */
export function inOrder({ socket, headers }: IncomingMessage, response: ServerResponse, answer: () => void): void {
  const line = lines.get(socket) ?? openLine(socket);
  const begin = () => {
    line.isAtWork = true;
    response.once("close", () => {
      // Once it is ended, as behind a refused body, nobody would get the answer.
      if (!socket.writable) return;
      line.isAtWork = false;
      next(line);
    });
    // The end of one answer begins the next.
    outsideRequests(answer);
  };
  if (!line.isAtWork) return void begin();
  // It would be refused, and until then Node keeps each of its chunks, which may be bytes, in memory.
  if (headers["transfer-encoding"] !== undefined) return void socket.destroy();
  if (line.waiting.length >= MOST_WAITING.ofConnection || waitingInAll >= MOST_WAITING.inAll) return void socket.destroy();
  line.waiting.push(begin);
  waitingInAll += 1;
}

function openLine(socket: Socket): Line {
  const line: Line = { isAtWork: false, waiting: [] };
  lines.set(socket, line);
  socket.once("close", () => {
    waitingInAll -= line.waiting.length;
    line.waiting = [];
  });
  return line;
}

function next(line: Line): void {
  const begin = line.waiting.shift();
  if (!begin) return;
  waitingInAll -= 1;
  begin();
}
