import type { IncomingMessage } from "node:http";
import { SHUTTING_DOWN } from "#lib/contract/app-error.ts";
import type { ErrorCode } from "#lib/contract/error.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { isLoopback, publicOrigin } from "#lib/sign-in/mode.ts";
import { exceededLength } from "./exceeded-length.ts";

export interface GuardRefusal {
  status: 400 | 403 | 404 | 405 | 409 | 411 | 413 | 415 | 503;
  code: ErrorCode;
  message: string;
  nextStep: string;
}

type GuardRequest = Pick<IncomingMessage, "method" | "headers" | "url"> & Partial<Pick<IncomingMessage, "rawHeaders">>;

/** The configurable rules of the request guard. */
export interface GuardRules {
  /** HOST as a name in a Host header; empty if it isn't allowed. */
  listeningHost: string;
  /** The https and loopback origins where people reach it. */
  origins: readonly string[];
  /** Whether to allow no changes. */
  readOnly: boolean;
  /** Whether it runs in a pod, which a port-forward can reach. */
  inPod: boolean;
  /** Whether anyone who can reach this port may read the process's metrics. */
  metrics: boolean;
}

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];
const UNSAFE_METHODS = ["POST", "PUT", "PATCH", "DELETE"];
const BODY_MAX_BYTES = 1024 * 1024;
/** Of a query; crdshift's own have ten at most. */
const MOST_PARAMETERS = 64;
/** Of a path; crdshift's own have ten at most. */
const MOST_PARTS = 32;
/** Of a path and its query; a link to a field of an object has less than half of that. */
const LONGEST_TARGET = 8 * 1024;
/** It names a few headers at most. */
const LONGEST_CONNECTION = 256;
/** Paths that change nothing in a cluster. */
const OF_SIGN_IN = ["/api/sign-in", "/api/sign-out"];
/** Next's image optimizer: there are no images to resize, and it has had vulnerabilities. */
const IMAGE_OPTIMIZER = "/_next/image";
/** Next resolves these before it looks for a route; the rules here would be about another path. */
const AMBIGUOUS = /\\|\/\/|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * Why a request is refused before any other code sees it, or null. A Host allow-list on every request stops DNS rebinding. Below /api,
 * requests from other sites are refused; unsafe methods need JSON, which no form can send, and headers in which the browser says that
 * they come from this site. Scripts, which have no such headers, send a bearer token and no cookie.
 */
export function guardRefusal(request: GuardRequest, rules: GuardRules): GuardRefusal | null {
  const { headers, method = "GET", url = "/" } = request;
  const hosts = headersNamed("host", request.rawHeaders ?? []);
  if (hosts > 1) return badRequest("The request has more than one Host header.", "Send one Host header.");
  // The absolute form may name a different host from the Host header.
  if (!url.startsWith("/")) return badRequest("The request target is not a path.", "Send a path that begins with a slash.");
  // Each chunk is handled on its own, however small: a body of single bytes costs thirty times as much as the same body in one piece.
  if (headers["transfer-encoding"] !== undefined) {
    return { status: 411, code: "request_refused", message: "The body's length is unknown.", nextStep: "Send it with Content-Length." };
  }
  // Prometheus uses the pod's address, and gets only numbers.
  if (asksForMetrics(request, rules)) return null;
  const host = hostName(headers.host ?? "");
  if (!host || !(isLoopback(host) || host === urlHost(rules.listeningHost) || publicOrigin(headers.host ?? "", rules.origins) !== null)) {
    return refused(`The Host ${JSON.stringify(headers.host ?? "")} is not allowed.`, wayIn(rules));
  }
  if ((headers.connection ?? "").length > LONGEST_CONNECTION) {
    return badRequest("The Connection header is too long.", `Send ${LONGEST_CONNECTION} characters at most.`);
  }
  // Next decodes and matches it several times, with a garbage collection for every few: 30 KB keep it busy for a tenth of a second.
  if (url.length > LONGEST_TARGET || (url.split("?", 1)[0] ?? "").split("/").length > MOST_PARTS + 1) {
    return badRequest("The path or query is too long.", `Send ${MOST_PARTS} parts and ${LONGEST_TARGET} characters at most.`);
  }
  // Next looks each name up among all of them, several times: 15,000 keep it busy for half a minute.
  if (url.split("&", MOST_PARAMETERS + 1).length > MOST_PARAMETERS) {
    return badRequest("The query has too many parameters.", `Send ${MOST_PARAMETERS} at most.`);
  }
  if (!isDecodable(url)) return badRequest("The path contains an invalid escape sequence.", "Encode it with encodeURIComponent.");
  if (AMBIGUOUS.test(url.split(/[?#]/)[0] ?? "")) {
    return badRequest("The path has an empty or dotted part, or a backslash.", "Send it without them.");
  }
  // A page repeats each name up to fourteen times.
  const mostOfName = exceededLength(url.split(/[?#]/)[0] ?? "");
  if (mostOfName !== null) {
    return badRequest(
      `A name in the path has more than ${formatCount(mostOfName)} characters, so there is nothing of that name.`,
      "Check it.",
    );
  }
  const path = decodeURIComponent(url.split("?")[0] ?? "");
  const isApi = path === "/api" || path.startsWith("/api/");
  if (path.startsWith(IMAGE_OPTIMIZER)) return { status: 404, code: "not_found", message: "There are no images here.", nextStep: "" };
  if (SAFE_METHODS.includes(method)) {
    return isApi && isFromElsewhere(headers) ? refused("The request comes from another site.", "Open crdshift directly.") : null;
  }
  if (!UNSAFE_METHODS.includes(method)) return refused(`The method ${method} is not supported.`, "Send GET or POST.");
  if (!isApi) {
    return { status: 405, code: "request_refused", message: "Only /api accepts that method.", nextStep: "Send GET." };
  }
  if (!isSameOrigin(headers) && !isScript(headers)) {
    return refused(
      "The request comes from another site, or doesn't show that it comes from this one.",
      "Open crdshift and act there; scripts send a bearer token and no cookie.",
    );
  }
  if (rules.readOnly && !OF_SIGN_IN.includes(path)) {
    return {
      status: 404,
      code: "not_found",
      message: "crdshift is read-only: nothing can be changed here.",
      nextStep: "To make changes, start it without CRDSHIFT_READ_ONLY, or in another mode.",
    };
  }
  if (headers["content-type"]?.split(";")[0]?.trim().toLowerCase() !== "application/json") {
    return {
      status: 415,
      code: "unsupported_media_type",
      message: "Only JSON is accepted.",
      nextStep: "Send Content-Type: application/json.",
    };
  }
  if (Number(headers["content-length"] ?? 0) > BODY_MAX_BYTES) {
    return { status: 413, code: "too_large", message: "The body is larger than 1 MiB.", nextStep: "Send a smaller body." };
  }
  return null;
}

/** Why a request is refused while crdshift shuts down, or null: what changes a cluster might not be recorded any more. */
export function shutdownRefusal({ method = "GET" }: GuardRequest): GuardRefusal | null {
  if (SAFE_METHODS.includes(method)) return null;
  return { status: 409, code: "conflict", ...SHUTTING_DOWN };
}

// Doesn't list the allowed addresses: any website's page may be asking.
function wayIn({ inPod }: GuardRules): string {
  const toLoopback = inPod
    ? "Run kubectl port-forward to the pod, and open http://localhost with the forwarded port"
    : "On the machine that runs crdshift, open http://localhost with its port";
  return `${toLoopback}; or add its https address to CRDSHIFT_ORIGINS, and open that.`;
}

/** Whether a request asks for the metrics, and they are enabled. */
export function asksForMetrics({ method, url }: Pick<GuardRequest, "method" | "url">, { metrics }: Pick<GuardRules, "metrics">): boolean {
  return metrics && method === "GET" && url === "/metrics";
}

function isDecodable(url: string): boolean {
  try {
    // Uses the result, so that no bundler removes the call.
    return decodeURIComponent(url).length > 0;
  } catch {
    return false;
  }
}

type Headers = IncomingMessage["headers"];

function isSameOrigin(headers: Headers): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  return headers.origin === `http://${headers.host}` || headers.origin === `https://${headers.host}`;
}

// Other ports of a host are the same site, and get its cookies.
function isFromElsewhere(headers: Headers): boolean {
  const site = headers["sec-fetch-site"];
  return site !== undefined && site !== "same-origin" && site !== "none";
}

// A page of another site can't send this header without a preflight request, which would fail.
function isScript(headers: Headers): boolean {
  const isBrowser = headers["sec-fetch-site"] !== undefined || headers.origin !== undefined;
  return !isBrowser && headers.cookie === undefined && /^Bearer /i.test(headers.authorization ?? "");
}

/** The name in a Host header, in lower case and without its port; null if it is invalid. */
function hostName(host: string): string | null {
  const match = /^(\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/.exec(host.toLowerCase());
  return match?.[1] ?? null;
}

// HOST as it appears in a Host header.
function urlHost(host: string): string {
  return host.includes(":") ? `[${host.toLowerCase()}]` : host.toLowerCase();
}

// Node keeps the first of several in `headers`; a proxy in front may have checked the last.
function headersNamed(name: string, rawHeaders: readonly string[]): number {
  return rawHeaders.filter((header, index) => index % 2 === 0 && header.toLowerCase() === name).length;
}

function badRequest(message: string, nextStep: string): GuardRefusal {
  return { status: 400, code: "invalid_input", message, nextStep };
}

function refused(message: string, nextStep: string): GuardRefusal {
  return { status: 403, code: "request_refused", message, nextStep };
}
