import { expect, test } from "vitest";
import { dropHeaders, securityHeaders } from "./headers.ts";

const policy = (dev: boolean) => securityHeaders("bm9uY2U=", { dev, isHttps: false })["content-security-policy"] ?? "";

test("only scripts and styles with the request's nonce run, and eval is blocked", () => {
  expect(policy(false)).toContain("script-src 'self' 'nonce-bm9uY2U=' 'strict-dynamic';");
  expect(policy(false)).toContain("default-src 'none';");
  expect(policy(false)).not.toMatch(/unsafe-|\*|http:|blob:/);
});

test("only the development build allows eval, for its error overlay", () => {
  expect(policy(true)).toContain("'unsafe-eval'");
  expect(policy(true)).not.toContain("unsafe-inline");
});

test("the browser may read the web app manifest", () => {
  expect(policy(false)).toContain("manifest-src 'self';");
});

test("no page can frame crdshift, and browsers don't guess content types", () => {
  const headers = securityHeaders("x", { dev: false, isHttps: false });
  expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
  expect(headers).toMatchObject({ "x-frame-options": "DENY", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
});

test("a browser that came over https keeps to that, and no page may use the camera or the like", () => {
  expect(securityHeaders("x", { dev: false, isHttps: true })).toMatchObject({
    "strict-transport-security": "max-age=31536000",
    "permissions-policy": expect.stringContaining("camera=(), "),
  });
  // On loopback, other programs listen at other ports of the same name.
  expect(securityHeaders("x", { dev: false, isHttps: false })).not.toHaveProperty("strict-transport-security");
});

// Next checks it in a time that grows with its depth times its values: 28 KB took 0.7 s, in which nobody else got an answer.
test("the state of a page's parts is dropped if it is larger than any page sends, and kept otherwise", () => {
  const tree = (levels: number, leaves: number) => {
    let inner = `{${Array.from({ length: leaves }, (_, index) => `"k${index}":[""]`).join(",")}}`;
    for (let level = 0; level < levels; level += 1) inner = `{"":["",${inner}]}`;
    return `["",${inner}]`;
  };
  const state = (value: string) => left({ "next-router-state-tree": value, rsc: "1" });
  expect(state(encodeURIComponent(tree(8, 4)))).toEqual(["next-router-state-tree", "rsc"]);
  const outsized = [tree(100, 1), encodeURIComponent(tree(100, 1)), tree(1, 100), `["${"a".repeat(9_000)}",{}]`];
  expect(outsized.map(state)).toEqual(Array(4).fill(["rsc"]));
});

// Next looks for crawlers in it: 32 KB took eleven seconds, in which nobody else got an answer.
test("the name that a browser gives itself is dropped", () => {
  expect(left({ "user-agent": "a".repeat(32_000), accept: "text/html" })).toEqual(["accept"]);
});

const left = (headers: Record<string, string>, kept = "") => {
  const copy = { ...headers };
  dropHeaders(copy, kept);
  return Object.keys(copy);
};

test.each([
  "x-middleware-subrequest",
  "x-middleware-rewrite",
  "x-nextjs-postponed",
  "next-action",
  "next-resume",
  "impersonate-user",
  "impersonate-extra-scopes",
  "x-remote-user",
  "x-forwarded-host",
  "x-forwarded-for",
  "forwarded",
  "x-original-url",
])("the request header %s is dropped", (name) => {
  expect(left({ host: "localhost", [name]: "x" })).toEqual(["host"]);
});

test.each(["cookie", "authorization", "rsc", "next-url", "next-router-state-tree", "accept", "sec-fetch-site"])(
  "the request header %s is kept",
  (name) => {
    expect(left({ [name]: "x" })).toEqual([name]);
  },
);

test("headers that the Connection header names are dropped, except those that the request guard has checked", () => {
  const headers = { connection: "close, Cookie,x-a , host", cookie: "a=b", "x-a": "1", host: "localhost" };
  expect(left(headers)).toEqual(["connection", "host"]);
});

test("a trusted proxy's header is kept only if it is configured", () => {
  const name = "x-forwarded-access-token";
  expect(left({ [name]: "x", "x-forwarded-user": "y" }, name)).toEqual([name]);
  expect(left({ [name]: "x" })).toEqual([]);
});

// Next parses the header several times: 30 KB of other cookies took 30 ms from everyone, and nobody had to sign in.
test("only crdshift's own cookies reach Next, and no more than 64", () => {
  const filtered = (cookie: string) => {
    const headers = { cookie };
    dropHeaders(headers, "");
    return headers.cookie;
  };
  expect(filtered("a=1; crdshift-3000-s.0=x; b=2;__Host-crdshift-a-s.1=y=; evil=crdshift-3000-s.0=z")).toBe(
    "crdshift-3000-s.0=x; __Host-crdshift-a-s.1=y=",
  );
  expect(filtered(";".repeat(31_000))).toBe("");
  expect(filtered(Array(200).fill("crdshift-1-s.0=x").join("; ")).split("; ")).toHaveLength(64);
});
