/** The headers of every answer. The nonce must be new for each request. */
export function securityHeaders(nonce: string, dev: boolean): Record<string, string> {
  return {
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
