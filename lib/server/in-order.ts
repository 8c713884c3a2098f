import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Browsers and proxies send the next request of a connection once the one before is answered. */
const MOST_UNANSWERED = 8;

interface Line {
  unanswered: number;
  last: Promise<void>;
}

const lines = new WeakMap<Socket, Line>();

/**
 * Answers a connection's requests one after the other, as HTTP/1.1 has it: one that sends a thousand without reading an answer would
 * otherwise have all of them worked on at once. Beyond eight without an answer, it is closed.
 * Source: RFC 9112, section 9.3.2.
 */
export function inOrder(request: IncomingMessage, response: ServerResponse, answer: () => void): void {
  const { socket } = request;
  const line = lines.get(socket) ?? { unanswered: 0, last: Promise.resolve() };
  lines.set(socket, line);
  if (line.unanswered >= MOST_UNANSWERED) return void socket.destroy();
  const { last } = line;
  line.unanswered += 1;
  line.last = new Promise((resolve) =>
    response.once("close", () => {
      line.unanswered -= 1;
      resolve();
    }),
  );
  if (line.unanswered === 1) answer();
  // Once it is ended, as behind a refused body, nobody would get the answer.
  else void last.then(() => (socket.writable ? answer() : undefined));
}
