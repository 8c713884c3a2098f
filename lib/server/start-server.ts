import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import next from "next";
import type { ErrorBody } from "#lib/contract/error.ts";
import { explainMethodRefusal } from "./explain-method-refusal.ts";
import { type GateRefusal, gateRefusal } from "./gate.ts";
import { securityHeaders } from "./security-headers.ts";

export interface Server {
  url: string;
  /** No new connection is taken from now on; those under way have half a second left. */
  stopAccepting(): void;
  close(): Promise<void>;
}

const LAST_ANSWERS_MS = 500;

/**
 * Serves the built app behind the gate.
 * @throws Error that says what to do when the port is taken or there is no build.
 */
export async function startServer({ host, port, dev }: { host: string; port: number; dev: boolean }): Promise<Server> {
  const app = next({ dev, dir: process.cwd(), hostname: host, port, quiet: true });
  const handler = app.getRequestHandler();
  const prepared = Promise.withResolvers<void>();
  const server = createServer({ maxHeaderSize: 32 * 1024, requestTimeout: 60_000 });

  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const nonce = randomBytes(16).toString("base64");
    const headers = securityHeaders(nonce, dev);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const refusal = gateRefusal(request, host);
    if (refusal) return refuse(response, refusal);
    explainMethodRefusal(request, response);
    for (const name of Object.keys(request.headers)) if (isInternal(name)) delete request.headers[name];
    // Next takes the nonce for its own scripts from the request's policy; the layout reads x-nonce.
    request.headers["content-security-policy"] = headers["content-security-policy"];
    request.headers["x-nonce"] = nonce;
    prepared.promise
      .then(() => handler(request, response))
      .catch((error: unknown) => {
        console.error(JSON.stringify({ level: "error", path: request.url, detail: String(error) }));
        response.destroy();
      });
  });
  server.on("upgrade", (request, socket, head) => {
    // Only the development server has an upgrade to offer: its hot reload.
    if (!dev || gateRefusal(request, host)) return void socket.destroy();
    prepared.promise.then(() => app.getUpgradeHandler()(request, socket, head)).catch(() => socket.destroy());
  });

  // Listening first: a taken port is said before the slower start of the app.
  const address = await listen(server, host, port);
  app.prepare().then(prepared.resolve, prepared.reject);
  await prepared.promise;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host === "0.0.0.0" ? "127.0.0.1" : host}:${address}`,
    stopAccepting() {
      server.close();
      setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS).unref();
    },
    async close() {
      server.closeAllConnections();
      await app.close();
    },
  };
}

function listen(server: ReturnType<typeof createServer>, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = error.code === "EADDRINUSE";
      reject(
        taken
          ? new Error(`Port ${port} on ${host} is taken.\nSet PORT to another one, or to 0 to have one picked: PORT=0 npm start`)
          : error,
      );
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
  });
}

// Headers by which Next talks to itself; from outside they are an attack (CVE-2025-29927 and its kin).
function isInternal(header: string): boolean {
  return header.startsWith("x-middleware-") || header === "next-resume" || header === "next-action";
}

function refuse(response: ServerResponse, { status, code, message, nextStep }: GateRefusal): void {
  const body: ErrorBody = { error: { code, message, nextStep } };
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store", connection: "close" });
  response.end(JSON.stringify(body));
}
