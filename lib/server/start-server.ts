import { randomBytes, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import next from "next";
import { noteOpenAnswer } from "#lib/http/open-answers.ts";
import { NETWORK_HEADER, REQUEST_ID_HEADER } from "#lib/http/server-headers.ts";
import { watchEventLoop } from "#lib/process-wide/event-loop-delay.ts";
import { errorDetail, logProblem } from "#lib/process-wide/log-problem.ts";
import { isShuttingDown } from "#lib/process-wide/shutdown.ts";
import { listening, publicOrigin } from "#lib/sign-in/mode.ts";
import { answerHealth, HEALTH_PATH } from "./answer-health.ts";
import { answerInTurn, TooManyRequests } from "./answer-turns.ts";
import { boundedServer } from "./bounded-server.ts";
import { type AnswerFile, builtFiles } from "./built-files.ts";
import { personOf } from "./known-person.ts";
import { listen } from "./listen.ts";
import { logFailedAnswer } from "./log-failed-answer.ts";
import { answerMetrics } from "./metrics/read-metrics.ts";
import { networkOf } from "./network-of.ts";
import { refuse } from "./refuse.ts";
import { explainMethodRefusal } from "./request-guard/explain-method-refusal.ts";
import { dropHeaders, securityHeaders } from "./request-guard/headers.ts";
import { logUnsafeRequest, pathOf } from "./request-guard/log-unsafe-request.ts";
import { asksForMetrics, type GuardRefusal, type GuardRules, guardRefusal, shutdownRefusal } from "./request-guard/request-guard.ts";

export interface Server {
  url: string;
  /** The address it listens on, as reported by the system. */
  address: string;
  /** Ends it; open connections have half a second left. */
  close(): Promise<void>;
}

const LAST_ANSWERS_MS = 500;
const TOO_MANY: GuardRefusal = {
  ...{ status: 503, code: "too_many_requests", message: "Too many requests are waiting.", nextStep: "Retry in a few seconds." },
};

interface ServerOptions {
  host: string;
  port: number;
  dev: boolean;
  rules: GuardRules;
  /** The proxy header to keep; empty for none. */
  tokenHeader: string;
}

/**
 * Serves the built app behind the request guard.
 * @throws Error with what to do if the port is in use or there is no build.
 */
export async function startServer({ host, port, dev, rules, tokenHeader }: ServerOptions): Promise<Server> {
  if (rules.metrics) watchEventLoop();
  // Next adds a listener for upgrades to the server that it is given, or else finds. With one, Node takes each request that offers an upgrade,
  // as Java's clients do, for one that insists on it.
  const app = next({ dev, dir: process.cwd(), hostname: host, port, quiet: true, httpServer: createServer() });
  const toNext = app.getRequestHandler();
  const prepared = Promise.withResolvers<AnswerFile>();
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const requestId = randomUUID();
    response.setHeader(REQUEST_ID_HEADER, requestId);
    response.once(
      "close",
      noteOpenAnswer(requestId, () => response.destroy()),
    );
    logUnsafeRequest(request, response, requestId);
    const nonce = randomBytes(16).toString("base64");
    const isHttps = publicOrigin(request.headers.host ?? "", rules.origins)?.startsWith("https:") ?? false;
    const headers = securityHeaders(nonce, { dev, isHttps });
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    // Open pages can still read, and so see how runs end.
    const refusal = guardRefusal(request, rules) ?? (isShuttingDown() ? shutdownRefusal(request) : null);
    if (refusal) return refuse(request, response, refusal);
    if (asksForMetrics(request, rules)) return answerMetrics(response);
    explainMethodRefusal(request, response);
    dropHeaders(request.headers, tokenHeader);
    // Next reads the nonce for its scripts from the request's policy; the layout reads x-nonce.
    request.headers["content-security-policy"] = headers["content-security-policy"];
    request.headers["x-nonce"] = nonce;
    // Never trust a client's request ID or network.
    request.headers[REQUEST_ID_HEADER] = requestId;
    request.headers[NETWORK_HEADER] = networkOf(request.socket.remoteAddress ?? "");
    const path = pathOf(request);
    prepared.promise
      .then((answerFile) =>
        answerInTurn(request, response, path, async () => {
          if (path === HEALTH_PATH) answerHealth(request, response);
          else if (!answerFile(request, response)) {
            await toNext(request, response);
            logFailedAnswer(request, response, requestId);
          }
        }),
      )
      .catch((error: unknown) => {
        if (error instanceof TooManyRequests) return refuse(request, response, TOO_MANY);
        if (response.closed) return;
        logProblem("error", { requestId, method: request.method, path, detail: errorDetail(error) });
        response.destroy();
      });
  };
  const server = boundedServer(personOf, answer, { upgrades: dev });
  // For hot reload.
  if (dev) {
    server.on("upgrade", (request, socket, head) => {
      if (guardRefusal(request, rules)) return void socket.destroy();
      prepared.promise.then(() => app.getUpgradeHandler()(request, socket, head)).catch(() => socket.destroy());
    });
  }

  // Listen first, to report a port in use before the slower start of the app.
  const bound = await listen(server, { host, port });
  const url = localUrl({ ...bound, host });
  Object.assign(listening(), { port: bound.port, url });
  // In development, they change.
  const openFiles = () => (dev ? () => false : builtFiles(".next/static"));
  app.prepare().then(openFiles).then(prepared.resolve, prepared.reject);
  await prepared.promise;
  return {
    url,
    address: bound.address,
    async close() {
      await Promise.race([bound.close(), sleep(LAST_ANSWERS_MS)]);
      server.closeAllConnections();
      await app.close();
    },
  };
}

/** The URL to open on this machine: loopback if the server listens everywhere. */
export function localUrl({ address, host, port }: { address: string; host: string; port: number }): string {
  const name = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
