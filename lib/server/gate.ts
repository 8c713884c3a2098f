import type { IncomingMessage } from "node:http";
import { isIPv4 } from "node:net";
import type { ErrorCode } from "#lib/contract/error.ts";

export interface GateRefusal {
  status: 400 | 403 | 413 | 415;
  code: ErrorCode;
  message: string;
  nextStep: string;
}

type GateRequest = Pick<IncomingMessage, "method" | "headers" | "url"> & Partial<Pick<IncomingMessage, "rawHeaders">>;

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];
const UNSAFE_METHODS = ["POST", "PUT", "PATCH", "DELETE"];
const BODY_MAX_BYTES = 1024 * 1024;

/**
 * Why a request is refused before anything else sees it, or null. A Host allow-list on every request stops DNS rebinding;
 * unsafe methods need JSON, which no form can send, and, where the browser says where they come from, the same origin.
 * Scripts that send neither Sec-Fetch-Site nor Origin pass.
 */
export function gateRefusal(request: GateRequest, allowedHost: string): GateRefusal | null {
  const { headers, method = "GET", url = "/" } = request;
  const hosts = headersNamed("host", request.rawHeaders ?? []);
  if (hosts > 1) return badRequest("The request names more than one Host.", "Send one Host header.");
  // The absolute form names another host than the Host header.
  if (!url.startsWith("/")) return badRequest("The request target is not a path.", "Send a path that begins with a slash.");
  const host = hostName(headers.host ?? "");
  if (!host || !(isLoopbackName(host) || host === urlHost(allowedHost))) {
    return refused(
      `The Host ${JSON.stringify(headers.host ?? "")} is not allowed.`,
      "Use http://localhost or http://127.0.0.1 with the port; port-forward to reach a cluster.",
    );
  }
  if (!isDecodable(url)) return badRequest("The path holds an escape that can't be read.", "Encode it with encodeURIComponent.");
  if (SAFE_METHODS.includes(method)) return null;
  if (!UNSAFE_METHODS.includes(method)) return refused(`The method ${method} is not in use here.`, "Send GET or POST.");
  if (!isSameOrigin(headers)) return refused("The request comes from another site.", "Open crdshift itself and act there.");
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

function isDecodable(url: string): boolean {
  try {
    // Used, so that no bundler takes the call for one without effect.
    return decodeURIComponent(url).length > 0;
  } catch {
    return false;
  }
}

function isSameOrigin(headers: IncomingMessage["headers"]): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  if (headers.origin === undefined) return true;
  return headers.origin === `http://${headers.host}` || headers.origin === `https://${headers.host}`;
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

// Names that no DNS answer can point elsewhere.
function isLoopbackName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || (isIPv4(name) && name.startsWith("127."));
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
