import type { IncomingMessage } from "node:http";
import type { ErrorCode } from "#lib/contract/error.ts";
import { isLoopback, publicOrigin } from "#lib/sign-in/mode.ts";

export interface GateRefusal {
  status: 400 | 403 | 404 | 405 | 413 | 415;
  code: ErrorCode;
  message: string;
  nextStep: string;
}

type GateRequest = Pick<IncomingMessage, "method" | "headers" | "url"> & Partial<Pick<IncomingMessage, "rawHeaders">>;

/** What a gate lets through, beside what every gate does. */
export interface GateRules {
  /** HOST, as a name in a Host header; empty where nobody may use it. */
  listeningHost: string;
  /** https origins under which people reach it, and loopback ones. */
  origins: readonly string[];
  /** Whether nothing may be changed. */
  readOnly: boolean;
  /** Whether it runs in a pod, where a port-forward is a way in. */
  inPod: boolean;
  /** Whether everybody who reaches this port may read numbers about the process. */
  metrics: boolean;
}

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];
const UNSAFE_METHODS = ["POST", "PUT", "PATCH", "DELETE"];
const BODY_MAX_BYTES = 1024 * 1024;
/** What changes nothing in a cluster. */
const OF_SIGN_IN = ["/api/sign-in", "/api/sign-out"];
/** Next's proxy for pictures: there are none to resize, and it has been a way in before. */
const IMAGE_OPTIMIZER = "/_next/image";

/**
 * Why a request is refused before anything else sees it, or null. A Host allow-list on every request stops DNS rebinding; below /api
 * another site is refused, and unsafe methods need JSON, which no form can send, and the browser's word that they come from here.
 * Scripts, which have no browser to say so, send a bearer token and no cookie.
 */
export function gateRefusal(request: GateRequest, rules: GateRules): GateRefusal | null {
  const { headers, method = "GET", url = "/" } = request;
  const hosts = headersNamed("host", request.rawHeaders ?? []);
  if (hosts > 1) return badRequest("The request names more than one Host.", "Send one Host header.");
  // The absolute form names another host than the Host header.
  if (!url.startsWith("/")) return badRequest("The request target is not a path.", "Send a path that begins with a slash.");
  // Prometheus asks by the pod's address, and there is nothing but numbers to be had.
  if (asksForMetrics(request, rules)) return null;
  const host = hostName(headers.host ?? "");
  if (!host || !(isLoopback(host) || host === urlHost(rules.listeningHost) || publicOrigin(headers.host ?? "", rules.origins) !== null)) {
    return refused(`The Host ${JSON.stringify(headers.host ?? "")} is not allowed.`, wayIn(rules));
  }
  if (!isDecodable(url)) return badRequest("The path holds an escape that can't be read.", "Encode it with encodeURIComponent.");
  const path = decodeURIComponent(url.split("?")[0] ?? "");
  const isApi = path === "/api" || path.startsWith("/api/");
  if (path.startsWith(IMAGE_OPTIMIZER)) return { status: 404, code: "not_found", message: "There are no pictures here.", nextStep: "" };
  if (SAFE_METHODS.includes(method)) {
    return isApi && isFromElsewhere(headers) ? refused("The request comes from another site.", "Open crdshift itself.") : null;
  }
  if (!UNSAFE_METHODS.includes(method)) return refused(`The method ${method} is not in use here.`, "Send GET or POST.");
  if (!isApi) {
    return { status: 405, code: "request_refused", message: "Nothing but /api takes that method.", nextStep: "Send GET." };
  }
  if (!isSameOrigin(headers) && !isScript(headers)) {
    return refused(
      "The request comes from another site, or does not say that it comes from here.",
      "Open crdshift itself and act there; scripts send a bearer token and no cookie.",
    );
  }
  if (rules.readOnly && !OF_SIGN_IN.includes(path)) {
    return {
      status: 404,
      code: "not_found",
      message: "crdshift was started read only: nothing can be changed here.",
      nextStep: "Start it without CRDSHIFT_READ_ONLY, or in another mode, to change something.",
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
    return { status: 413, code: "too_large", message: "The body is larger than 1 MiB.", nextStep: "Send less." };
  }
  return null;
}

// Not which addresses there are: whoever asks may be a page of anybody's.
function wayIn({ inPod }: GateRules): string {
  const toLoopback = inPod
    ? "Reach the pod by kubectl port-forward, and open http://localhost with the port that it forwards"
    : "On the machine that crdshift runs on open http://localhost with its port";
  return `${toLoopback}; or name its https address in CRDSHIFT_ORIGINS, and open that.`;
}

/** Whether a request is the one that gets the metrics, where they are to be had. */
export function asksForMetrics({ method, url }: Pick<GateRequest, "method" | "url">, { metrics }: Pick<GateRules, "metrics">): boolean {
  return metrics && method === "GET" && url === "/metrics";
}

function isDecodable(url: string): boolean {
  try {
    // Used, so that no bundler takes the call for one without effect.
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

// The other ports of one host are the same site, and are sent its cookies.
function isFromElsewhere(headers: Headers): boolean {
  const site = headers["sec-fetch-site"];
  return site !== undefined && site !== "same-origin" && site !== "none";
}

// No page of another site can send this header without asking first, and its answer would be no.
function isScript(headers: Headers): boolean {
  const isBrowser = headers["sec-fetch-site"] !== undefined || headers.origin !== undefined;
  return !isBrowser && headers.cookie === undefined && /^Bearer /i.test(headers.authorization ?? "");
}

/** The name in a Host header, lower case and without its port; null when it is not one. */
function hostName(host: string): string | null {
  const match = /^(\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/.exec(host.toLowerCase());
  return match?.[1] ?? null;
}

// HOST as it stands in a Host header.
function urlHost(host: string): string {
  return host.includes(":") ? `[${host.toLowerCase()}]` : host.toLowerCase();
}

// Node keeps the first of several in `headers`; what stands before us might have looked at the last.
function headersNamed(name: string, rawHeaders: readonly string[]): number {
  return rawHeaders.filter((header, index) => index % 2 === 0 && header.toLowerCase() === name).length;
}

function badRequest(message: string, nextStep: string): GateRefusal {
  return { status: 400, code: "invalid_input", message, nextStep };
}

function refused(message: string, nextStep: string): GateRefusal {
  return { status: 403, code: "request_refused", message, nextStep };
}
