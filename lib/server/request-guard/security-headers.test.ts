import { expect, test } from "vitest";
import { securityHeaders } from "./security-headers.ts";

const policy = (dev: boolean) => securityHeaders("bm9uY2U=", dev)["content-security-policy"] ?? "";

test("only scripts and styles with the request's nonce run, and nothing is evaluated", () => {
  expect(policy(false)).toContain("script-src 'self' 'nonce-bm9uY2U=' 'strict-dynamic';");
  expect(policy(false)).toContain("default-src 'none';");
  expect(policy(false)).not.toMatch(/unsafe-|\*|http:|blob:/);
});

test("only the development build may evaluate, for its error overlay", () => {
  expect(policy(true)).toContain("'unsafe-eval'");
  expect(policy(true)).not.toContain("unsafe-inline");
});

test("the browser may read the manifest that makes it an app", () => {
  expect(policy(false)).toContain("manifest-src 'self';");
});

test("no page can frame it, and no answer is taken for another type", () => {
  const headers = securityHeaders("x", false);
  expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
  expect(headers).toMatchObject({ "x-frame-options": "DENY", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
});
