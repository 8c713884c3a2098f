import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { boundConnections } from "./bound-connections.ts";
import { inOrder } from "./in-order.ts";
import { parseInPieces } from "./parse-in-pieces.ts";

/** Far beyond what 200 people open, and what one does. Each takes memory, signed in or not. */
const MOST_CONNECTIONS = { inAll: 2_048, ofPerson: 256 };
/** The cookies of two sessions fit. */
const MOST_HEADER_BYTES = 32 * 1024;
/** Browsers send twenty, and each proxy a few more. One of few bytes takes ten times as many in memory. */
const MOST_HEADERS = 100;
/**
 * Of the server's connections, also of those that another listener accepts for it: Node's own for HTTP, and what it keeps of a body that
 * nobody reads, besides what it has just received.
 */
export const socketOptions = { allowHalfOpen: true, noDelay: true, highWaterMark: 16 * 1024 };
/**
 * A changing request has eleven for its end: five of the server's, and six of Next's, one for each of its layers. Node warns of a leak then.
 */
const MOST_LISTENERS = 20;
const HEADERS_WITHIN_MS = 15_000;
/** For a body of at most a mebibyte. */
const REQUEST_WITHIN_MS = 30_000;
const LOOK_AT_TIMES_EVERY_MS = 5_000;

/**
 * A server for everyone who can reach it, which keeps to a bounded memory. It has each connection's requests answered in order. `upgrades`: it
 * has connections that leave HTTP, as hot reload does, and bounds less.
 */
export function boundedServer(
  personOf: (socket: Socket) => string | null,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  { upgrades = false } = {},
): Server {
  const times = {
    headersTimeout: HEADERS_WITHIN_MS,
    requestTimeout: REQUEST_WITHIN_MS,
    connectionsCheckingInterval: LOOK_AT_TIMES_EVERY_MS,
  };
  const server = createServer({ maxHeaderSize: MOST_HEADER_BYTES, ...socketOptions, ...times });
  server.maxHeadersCount = MOST_HEADERS;
  boundConnections(server, MOST_CONNECTIONS, personOf);
  if (!upgrades) parseInPieces(server);
  // Node would answer these itself, before anything bounds them.
  server.on("checkExpectation", (request, response) => void server.emit("request", request, response));
  return server.on("request", (request, response) => {
    response.setMaxListeners(MOST_LISTENERS);
    inOrder(request, response, () => answer(request, response));
  });
}
