import { describe, expect, test } from "vitest";
import { gateRefusal } from "./gate.ts";

type Headers = Record<string, string | undefined>;
const listening = "127.0.0.1";
const ask = (method: string, headers: Headers, allowedHost = listening) => gateRefusal({ method, headers }, allowedHost);
const json = { host: "localhost:3000", "content-type": "application/json" };

describe("the Host", () => {
  test.each([
    "localhost",
    "localhost:3000",
    "LOCALHOST:3000",
    "127.0.0.1",
    "127.0.0.1:1",
    "127.0.0.1:65535",
    "127.8.9.10:3000",
    "[::1]",
    "[::1]:3000",
    "crdshift.localhost:3000",
  ])("%s is loopback, which no DNS answer points elsewhere", (host) => {
    expect(ask("GET", { host })).toBeNull();
  });

  test.each([
    "evil.com",
    "evil.com:3000",
    "127.0.0.1.evil.com",
    "localhost.evil.com",
    "evil-localhost",
    "notlocalhost:3000",
    "127.0.0.1.nip.io",
    "localhost.",
    "127.0.0.1.",
    "localhost..",
    "192.168.1.10:3000",
    "10.0.0.1",
    "0.0.0.0:3000",
    "128.0.0.1",
    "127.1",
    "127.0.0.256",
    "0x7f.0.0.1",
    "2130706433",
    "[::]:3000",
    "[::2]:3000",
    "[fe80::1]:3000",
    "[::ffff:127.0.0.1]:3000",
    "::1",
    "user@localhost",
    "localhost:3000@evil.com",
    "localhost/evil.com",
    "localhost evil.com",
    "localhost,evil.com",
    "localhost:",
    "localhost:123456",
    "localhost:http",
    "ｌocalhost",
    "",
    undefined,
  ])("%s is refused on every method", (host) => {
    for (const method of ["GET", "HEAD", "OPTIONS", "POST", "PATCH"]) {
      expect(ask(method, { ...json, host })).toMatchObject({ status: 403, code: "request_refused" });
    }
  });

  test("is taken when it is what HOST says, on any port", () => {
    expect(ask("GET", { host: "crdshift.internal:8080" }, "crdshift.internal")).toBeNull();
    expect(ask("GET", { host: "0.0.0.0:8080" }, "0.0.0.0")).toBeNull();
    expect(ask("GET", { host: "other.internal" }, "crdshift.internal")?.status).toBe(403);
  });

  test("is taken when HOST has capitals, or is an IPv6 address", () => {
    expect(ask("GET", { host: "mybox:3000" }, "MyBox")).toBeNull();
    expect(ask("GET", { host: "[fd00::1]:3000" }, "fd00::1")).toBeNull();
  });

  test("is quoted in the refusal, with what to use instead", () => {
    expect(ask("GET", { host: 'a"b' })).toMatchObject({
      message: 'The Host "a\\"b" is not allowed.',
      nextStep: expect.stringContaining("port-forward"),
    });
  });
});

const unsafe = ["POST", "PUT", "PATCH", "DELETE"];
const safe = ["GET", "HEAD", "OPTIONS"];

describe("where the browser says a request comes from", () => {
  const origins: { headers: Headers; allowed: boolean }[] = [
    { headers: {}, allowed: true },
    { headers: { "sec-fetch-site": "same-origin" }, allowed: true },
    { headers: { "sec-fetch-site": "same-site" }, allowed: false },
    { headers: { "sec-fetch-site": "cross-site" }, allowed: false },
    { headers: { "sec-fetch-site": "none" }, allowed: false },
    { headers: { "sec-fetch-site": "" }, allowed: false },
    { headers: { "sec-fetch-site": "cross-site", origin: "http://localhost:3000" }, allowed: false },
    { headers: { "sec-fetch-site": "same-origin", origin: "http://localhost:3000" }, allowed: true },
    { headers: { origin: "http://localhost:3000" }, allowed: true },
    { headers: { origin: "https://localhost:3000" }, allowed: true },
    { headers: { origin: "http://localhost:3001" }, allowed: false },
    { headers: { origin: "http://localhost" }, allowed: false },
    { headers: { origin: "http://127.0.0.1:3000" }, allowed: false },
    { headers: { origin: "http://localhost:3000.evil.com" }, allowed: false },
    { headers: { origin: "http://evil.com" }, allowed: false },
    { headers: { origin: "null" }, allowed: false },
    { headers: { origin: "" }, allowed: false },
  ];

  test.each(origins)("$headers is allowed to change something: $allowed", ({ headers, allowed }) => {
    for (const method of unsafe) {
      const refusal = ask(method, { ...json, ...headers });
      if (allowed) expect(refusal, method).toBeNull();
      else expect(refusal, method).toMatchObject({ status: 403, code: "request_refused" });
    }
  });

  test.each(origins)("$headers may read: nothing changes, and no other page can see the answer", ({ headers }) => {
    for (const method of safe) expect(ask(method, { host: "localhost:3000", ...headers })).toBeNull();
  });
});

describe("the content type", () => {
  test.each(["application/json", "application/json; charset=utf-8", "Application/JSON", "application/json;charset=utf-8"])(
    "%s may change something",
    (type) => {
      for (const method of unsafe) expect(ask(method, { ...json, "content-type": type })).toBeNull();
    },
  );

  test.each([
    undefined,
    "",
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain; application/json",
    "application/jsonp",
    "application/json-patch+json",
    "text/plain;application/json",
    ",application/json",
  ])("%s may not: it may come from a form", (type) => {
    for (const method of unsafe) {
      expect(ask(method, { ...json, "content-type": type })).toMatchObject({ status: 415, code: "unsupported_media_type" });
    }
  });

  test("is of no matter where nothing changes", () => {
    for (const method of safe) expect(ask(method, { host: "localhost", "content-type": "text/plain" })).toBeNull();
  });
});

test("a body may have a mebibyte, and no more", () => {
  const of = (length: number) => ask("POST", { ...json, "content-length": String(length) });
  expect(of(1024 * 1024)).toBeNull();
  expect(of(1024 * 1024 + 1)).toMatchObject({ status: 413, code: "too_large" });
});

test("another site is refused before anything is said about its content type or size", () => {
  const evil = { host: "localhost", origin: "http://evil.com", "content-type": "text/plain", "content-length": "99999999" };
  expect(ask("POST", evil)?.status).toBe(403);
});

test("a method that nothing here answers is refused, and so is a path that can't be decoded", () => {
  for (const method of ["TRACE", "CONNECT", "PROPFIND", "post", "ANYTHING"]) expect(ask(method, json)).toMatchObject({ status: 403 });
  for (const url of ["/api/clusters/%E0%A4%A/crds", "/%", "/clusters/%zz"]) {
    expect(gateRefusal({ method: "GET", headers: json, url }, listening)).toMatchObject({ status: 400, code: "invalid_input" });
  }
  expect(gateRefusal({ method: "GET", headers: json, url: "/clusters/arn%3Aaws%2Fa%20b?q=%2525" }, listening)).toBeNull();
});

test.each(["http://evil.com/api/health", "http://localhost:3000/api/health", "localhost:3000/", "*", "", "evil.com:443"])(
  "the request target %s is refused: it is not a path",
  (url) => {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      expect(gateRefusal({ method, headers: json, url }, listening)).toMatchObject({ status: 400, code: "invalid_input" });
    }
  },
);

test("two Host headers are refused, whatever they say", () => {
  const of = (...rawHeaders: string[]) => gateRefusal({ method: "GET", headers: json, url: "/", rawHeaders }, listening);
  expect(of("Host", "localhost:3000", "Accept", "host")).toBeNull();
  for (const second of ["evil.com", "localhost:3000", ""]) {
    expect(of("Host", "localhost:3000", "host", second)).toMatchObject({ status: 400, code: "invalid_input" });
  }
});
