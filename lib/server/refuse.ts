import type { IncomingMessage, ServerResponse } from "node:http";
import type { ErrorBody } from "#lib/contract/error.ts";
import type { GuardRefusal } from "./request-guard/request-guard.ts";

const READ_ANSWER_WITHIN_MS = 1_000;

/** Answers a request that Next must not see. */
export function refuse({ socket }: IncomingMessage, response: ServerResponse, { status, code, message, nextStep }: GuardRefusal): void {
  const body: ErrorBody = { error: { code, message, nextStep } };
  // Closed while its body still arrives, the connection would be reset before the client has read the answer. Node discards a body of known
  // length; that of another one it would take apart chunk by chunk, so it stays unread.
  const connection = status === 413 ? {} : { connection: "close" };
  if (status === 411) {
    socket.on("resume", () => socket.pause()).pause();
    // Node calls this once the answer is written, and would close the connection.
    socket.destroySoon = () => void socket.end();
    setTimeout(() => socket.destroy(), READ_ANSWER_WITHIN_MS).unref();
  }
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store", ...connection });
  response.end(JSON.stringify(body));
}
