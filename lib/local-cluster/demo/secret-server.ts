import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type Server } from "node:https";
import { json } from "node:stream/consumers";

/** All objects of the demo's largest definition at once take 2 MiB. */
const MOST_BYTES = 6 * 1024 * 1024;
const MOST_CONNECTIONS = 256;
const IMPATIENT = { handshakeTimeout: 5_000, headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };

/**
 * A server that answers JSON only at a secret path. Every user of the machine can reach it, and finds its port in /proc/net/tcp: of others'
 * requests it reads no body, and it waits for none of them for long.
 */
export function secretServer(certificate: { key: string; cert: string }, secretPath: string, answer: (body: unknown) => object): Server {
  const server = createServer({ ...certificate, ...IMPATIENT }, async (request, response) => {
    const refuse = (status: number) => response.writeHead(status, { connection: "close" }).end();
    const [path = ""] = (request.url ?? "").split("?");
    if (!isSame(path, secretPath)) return refuse(404);
    // Node reads no more than a request announces.
    const announced = request.headers["content-length"];
    if (announced === undefined) return refuse(411);
    if (Number(announced) > MOST_BYTES) return refuse(413);
    const body = await json(request)
      .then(answer)
      .then(JSON.stringify)
      .catch(() => undefined);
    response.writeHead(body === undefined ? 400 : 200, { "content-type": "application/json" }).end(body);
  });
  server.maxConnections = MOST_CONNECTIONS;
  return server;
}

/** Compared in constant time. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
