import type { IncomingHttpHeaders } from "node:http";

/**
 * Headers that mean something between proxies, to Next itself (CVE-2025-29927 and its kin) or to an API server. From outside they are
 * an attack or nothing: no request here is sent on with headers of its own.
 */
const DROPPED = [/^x-middleware-/, /^x-nextjs-/, /^next-/, /^impersonate-/, /^x-remote-/, /^x-forwarded-/, /^forwarded$/, /^x-original-/];

/** Next's own pages send these two: they say which part of a page is asked for. */
const KEPT = ["next-router-state-tree", "next-router-prefetch", "next-router-segment-prefetch", "next-url"];

/** A Connection header may not take away what the gate has just judged by. */
const NEEDED = ["host", "connection", "content-length", "content-type", "transfer-encoding"];

/** Takes such headers, and those that the Connection header names, out of a request; `kept` is one to leave in any case. */
export function dropHeaders(headers: IncomingHttpHeaders, kept: string): void {
  const hopByHop = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  for (const name of Object.keys(headers)) {
    if (name === kept && name !== "") continue;
    const isInternal = DROPPED.some((pattern) => pattern.test(name)) && !KEPT.includes(name);
    if (isInternal || (hopByHop.includes(name) && !NEEDED.includes(name))) delete headers[name];
  }
}
