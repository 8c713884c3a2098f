import type { IncomingHttpHeaders } from "node:http";

/** None of these does crdshift use, and nothing that finds a way into a page may. */
const UNUSED_FEATURES = ["camera", "display-capture", "geolocation", "microphone", "payment", "serial", "usb"];
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** The headers of every answer. The nonce must be new for each request. `isHttps`: the browser came over https, and should keep to that. */
export function securityHeaders(nonce: string, { dev, isHttps }: { dev: boolean; isHttps: boolean }): Record<string, string> {
  return {
    ...(isHttps && { "strict-transport-security": `max-age=${YEAR_SECONDS}` }),
    "permissions-policy": UNUSED_FEATURES.map((feature) => `${feature}=()`).join(", "),
    "content-security-policy": contentSecurityPolicy(nonce, dev),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  };
}

function contentSecurityPolicy(nonce: string, dev: boolean): string {
  const directives = {
    "default-src": "'none'",
    // React's development build evaluates strings for its error overlay.
    "script-src": `'self' 'nonce-${nonce}' 'strict-dynamic'${dev ? " 'unsafe-eval'" : ""}`,
    "style-src": `'self' 'nonce-${nonce}'`,
    "connect-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "manifest-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    "object-src": "'none'",
  };
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join("; ");
}

/**
 * Headers with a meaning for proxies, for Next itself (CVE-2025-29927 and similar) or for an API server. From a client they are an
 * attack or useless: crdshift never forwards a client's headers.
 */
const DROPPED = [/^x-middleware-/, /^x-nextjs-/, /^next-/, /^impersonate-/, /^x-remote-/, /^x-forwarded-/, /^forwarded$/, /^x-original-/];

/** Next looks for the names of crawlers in it, in a time that grows with the square of its length: 32 KB took eleven seconds. */
const UNREAD = "user-agent";

/** Next's own pages send these to say which part of a page they request. */
const KEPT = ["next-router-state-tree", "next-router-prefetch", "next-router-segment-prefetch", "next-url"];

/** What pages of crdshift send is far below both. Next checks the header in a time that grows with its depth times its values. */
const LONGEST_STATE = 8 * 1024;
const MOST_LISTS = 64;

function isOutsized(value: string | string[] | undefined): boolean {
  const text = String(value ?? "");
  return text.length > LONGEST_STATE || (text.match(/\[|%5b/gi)?.length ?? 0) > MOST_LISTS;
}

/** A Connection header must not remove the headers that the request guard has just checked. */
const NEEDED = ["host", "connection", "content-length", "content-type", "transfer-encoding"];

/** crdshift's own: all ports of a host share cookies, and whoever sends one can send thousands, which Next would parse several times. */
const OWN_COOKIE = /(?:^|;) ?((?:__Host-)?crdshift-[^;]*)/g;
const MOST_COOKIES = 64;

/**
 * Removes such headers, the User-Agent, outsized ones of Next's own pages, cookies that aren't crdshift's, and headers that the Connection
 * header names from a request; always keeps `kept`.
 */
export function dropHeaders(headers: IncomingHttpHeaders, kept: string): void {
  const hopByHop = new Set((headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  for (const name of Object.keys(headers)) {
    if (name === kept && name !== "") continue;
    const isInternal = DROPPED.some((pattern) => pattern.test(name)) && (!KEPT.includes(name) || isOutsized(headers[name]));
    if (name === "cookie") headers.cookie = ownCookies(headers.cookie ?? "");
    if (isInternal || name === UNREAD || (hopByHop.has(name) && !NEEDED.includes(name))) delete headers[name];
  }
}

function ownCookies(header: string): string {
  const own = header.matchAll(OWN_COOKIE).take(MOST_COOKIES);
  return [...own].map(([, pair]) => pair).join("; ");
}
