import { describe, expect, test } from "vitest";
import { asksForMetrics, type GuardRules, guardRefusal } from "./request-guard.ts";

type Headers = Record<string, string | undefined>;
const rules: GuardRules = { listeningHost: "127.0.0.1", origins: [], readOnly: false, inPod: false, metrics: false };
const ask = (method: string, headers: Headers, more: Partial<GuardRules> = {}, url = "/api/clusters") =>
  guardRefusal({ method, headers, url }, { ...rules, ...more });
const json = { host: "localhost:3000", "content-type": "application/json" };
/** As a browser sends it from crdshift's own page. */
const own = { ...json, "sec-fetch-site": "same-origin" };

describe("the Host header", () => {
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
  ])("%s is accepted as loopback", (host) => {
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

  test("is accepted if it is HOST's value, on any port", () => {
    expect(ask("GET", { host: "crdshift.internal:8080" }, { listeningHost: "crdshift.internal" })).toBeNull();
    expect(ask("GET", { host: "0.0.0.0:8080" }, { listeningHost: "0.0.0.0" })).toBeNull();
    expect(ask("GET", { host: "other.internal" }, { listeningHost: "crdshift.internal" })?.status).toBe(403);
  });

  test("is accepted if HOST has capitals or is an IPv6 address", () => {
    expect(ask("GET", { host: "mybox:3000" }, { listeningHost: "MyBox" })).toBeNull();
    expect(ask("GET", { host: "[fd00::1]:3000" }, { listeningHost: "fd00::1" })).toBeNull();
  });

  test("is quoted in the refusal, with the address to use instead", () => {
    expect(ask("GET", { host: 'a"b' })).toMatchObject({
      message: 'The Host "a\\"b" is not allowed.',
      nextStep: expect.stringMatching(/^On the machine that runs crdshift, open http:\/\/localhost .* CRDSHIFT_ORIGINS/),
    });
  });

  test("is refused with advice to use a port-forward in a pod, and never with the public addresses", () => {
    const origins = ["https://crds.example.com"];
    expect(ask("GET", { host: "10.1.2.3:3000" }, { inPod: true, origins })).toMatchObject({
      nextStep: expect.stringMatching(/^Run kubectl port-forward to the pod, and open http:\/\/localhost .* CRDSHIFT_ORIGINS/),
    });
    expect(JSON.stringify(ask("GET", { host: "evil.com" }, { origins }))).not.toContain("crds.example.com");
  });
});

const unsafe = ["POST", "PUT", "PATCH", "DELETE"];
const safe = ["GET", "HEAD", "OPTIONS"];

describe("the origin that the browser reports", () => {
  const origins: { headers: Headers; allowed: boolean }[] = [
    { headers: {}, allowed: false },
    { headers: { authorization: "Bearer abc" }, allowed: true },
    { headers: { authorization: "bearer abc" }, allowed: true },
    { headers: { authorization: "Basic abc" }, allowed: false },
    { headers: { authorization: "Bearer abc", cookie: "a=b" }, allowed: false },
    { headers: { authorization: "Bearer abc", origin: "http://evil.com" }, allowed: false },
    { headers: { authorization: "Bearer abc", "sec-fetch-site": "same-site" }, allowed: false },
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

  test.each(origins)("a change with $headers is allowed: $allowed", ({ headers, allowed }) => {
    for (const method of unsafe) {
      const refusal = ask(method, { ...json, ...headers });
      if (allowed) expect(refusal, method).toBeNull();
      else expect(refusal, method).toMatchObject({ status: 403, code: "request_refused" });
    }
  });

  test.each(origins)("a page, which has no cluster data, opens with $headers", ({ headers }) => {
    for (const method of safe) expect(ask(method, { host: "localhost:3000", ...headers }, {}, "/clusters/kind")).toBeNull();
  });

  test.each([
    [undefined, true],
    ["none", true],
    ["same-origin", true],
    ["same-site", false],
    ["cross-site", false],
    ["", false],
  ])("a read below /api from the site %s is allowed: %s", (site, allowed) => {
    for (const method of safe) {
      const refusal = ask(method, { host: "localhost:3000", "sec-fetch-site": site });
      if (allowed) expect(refusal).toBeNull();
      else expect(refusal).toMatchObject({ status: 403, code: "request_refused" });
    }
  });
});

describe("a change's content type", () => {
  test.each(["application/json", "application/json; charset=utf-8", "Application/JSON", "application/json;charset=utf-8"])(
    "%s is accepted",
    (type) => {
      for (const method of unsafe) expect(ask(method, { ...own, "content-type": type })).toBeNull();
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
  ])("%s is refused, as a form can send it", (type) => {
    for (const method of unsafe) {
      expect(ask(method, { ...own, "content-type": type })).toMatchObject({ status: 415, code: "unsupported_media_type" });
    }
  });

  test("doesn't matter for requests that only read", () => {
    for (const method of safe) expect(ask(method, { host: "localhost", "content-type": "text/plain" })).toBeNull();
  });
});

test("a body of more than 1 MiB is refused", () => {
  const of = (length: number) => ask("POST", { ...own, "content-length": String(length) });
  expect(of(1024 * 1024)).toBeNull();
  expect(of(1024 * 1024 + 1)).toMatchObject({ status: 413, code: "too_large" });
});

test("a request from another site is refused before its content type and size are checked", () => {
  const evil = { host: "localhost", origin: "http://evil.com", "content-type": "text/plain", "content-length": "99999999" };
  expect(ask("POST", evil)?.status).toBe(403);
});

test("unknown methods and paths that can't be decoded are refused", () => {
  for (const method of ["TRACE", "CONNECT", "PROPFIND", "post", "ANYTHING"]) expect(ask(method, json)).toMatchObject({ status: 403 });
  for (const url of ["/api/clusters/%E0%A4%A/crds", "/%", "/clusters/%zz"]) {
    expect(guardRefusal({ method: "GET", headers: json, url }, rules)).toMatchObject({ status: 400, code: "invalid_input" });
  }
  expect(guardRefusal({ method: "GET", headers: json, url: "/clusters/arn%3Aaws%2Fa%20b?q=%2525" }, rules)).toBeNull();
});

// Next looks each name up among all of them: 15,000 kept the process busy for half a minute, and nobody had to sign in.
test("a query of more than 64 parameters is refused, on any path and with any method", () => {
  const query = (count: number) => `?${Array(count).fill("a").join("&")}`;
  for (const path of ["/", "/api/session", "/_next/static/a.js"]) {
    expect(ask("GET", { host: "localhost" }, {}, `${path}${query(64)}`)).toBeNull();
    for (const method of ["GET", "HEAD", "POST"]) expect(ask(method, own, {}, `${path}${query(65)}`)?.status).toBe(400);
    expect(ask("GET", { host: "localhost" }, {}, `${path}${query(15_500)}`)?.status).toBe(400);
  }
});

// Next needs a tenth of a second for each, and many at once held everyone up for seconds, without any right.
test("a path of more than 32 parts, or a target of more than 8 KiB, is refused", () => {
  const get = (url: string) => ask("GET", { host: "localhost" }, {}, url)?.status;
  expect(get(`/api${"/a".repeat(31)}`)).toBeUndefined();
  expect(get(`/api${"/a".repeat(32)}`)).toBe(400);
  expect(get(`/sign-in?from=${"/a".repeat(4_000)}`)).toBeUndefined();
  expect(get(`/sign-in?from=${"+".repeat(8 * 1024)}`)).toBe(400);
});

// A page repeats each name seven times, and a cluster's twice as often: 118 KB for a name of 8 KB, for anyone who reaches the port.
test("a name that nothing in a cluster can have is refused, and so is one that no context has", () => {
  const get = (url: string) => ask("GET", { host: "localhost" }, {}, url);
  const [longest, tooLong] = ["a", "ab"].map((end) => `${"a".repeat(252)}${end}`);
  for (const below of ["/clusters/kind", "/api/clusters/kind", "/clusters/crds", "/clusters/a%2Fcrds%2Fb"]) {
    for (const path of [`${below}/crds/`, `${below}/%63rds/`, `${below}/crds/x/objects/`]) {
      expect(get(`${path}${longest}`)).toBeNull();
      expect(get(`${path}${longest}?at=${tooLong}`)).toBeNull();
      expect(get(`${path}${tooLong}/more`)).toMatchObject({ status: 400, message: expect.stringContaining("253 characters") });
    }
    expect(get(`${below}/crds/${"%61".repeat(253)}`)).toBeNull();
  }
  for (const path of ["/clusters/", "/api/clusters/", "/"]) {
    expect(get(`${path}${"a".repeat(1_024)}`)).toBeNull();
    expect(get(`${path}${"%61".repeat(1_025)}`)).toMatchObject({ status: 400, message: expect.stringContaining("1,024 characters") });
  }
});

// Each name was compared with each header, before anyone's turn: 1,900 such requests at once held everyone up for ten seconds.
test("a Connection header longer than any that names headers is refused", () => {
  const get = (connection: string) => ask("GET", { host: "localhost", connection }, {}, "/api/health")?.status;
  expect(get(`keep-alive, ${"x".repeat(200)}`)).toBeUndefined();
  expect(get(`keep-alive${",".repeat(256)}`)).toBe(400);
});

test("a body of unknown length is refused", () => {
  expect(ask("POST", { ...own, "transfer-encoding": "chunked" })).toMatchObject({ status: 411, nextStep: "Send it with Content-Length." });
});

test.each(["http://evil.com/api/health", "http://localhost:3000/api/health", "localhost:3000/", "*", "", "evil.com:443"])(
  "the request target %s is refused, as it is not a path",
  (url) => {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      expect(guardRefusal({ method, headers: json, url }, rules)).toMatchObject({ status: 400, code: "invalid_input" });
    }
  },
);

test("two Host headers are refused, even if they are equal", () => {
  const of = (...rawHeaders: string[]) => guardRefusal({ method: "GET", headers: json, url: "/", rawHeaders }, rules);
  expect(of("Host", "localhost:3000", "Accept", "host")).toBeNull();
  for (const second of ["evil.com", "localhost:3000", ""]) {
    expect(of("Host", "localhost:3000", "host", second)).toMatchObject({ status: 400, code: "invalid_input" });
  }
});

describe("with public origins", () => {
  const origins = ["https://crds.example.com", "https://other.example.com:8443"];
  test.each([
    ["crds.example.com", true],
    ["crds.example.com:443", true],
    ["CRDS.example.com", true],
    ["crds.example.com:80", false],
    ["other.example.com:8443", true],
    ["other.example.com", false],
    ["example.com", false],
    ["crds.example.com.evil.com", false],
  ])("the Host header %s is accepted: %s", (host, allowed) => {
    const refusal = ask("GET", { host }, { origins });
    if (allowed) expect(refusal).toBeNull();
    else expect(refusal).toMatchObject({ status: 403 });
  });
});

test("a change outside /api is refused, and the image optimizer is off", () => {
  for (const url of ["/", "/clusters/kind", "/apis", "/_next/data", "/sign-in"]) {
    expect(ask("POST", own, {}, url)).toMatchObject({ status: 405, code: "request_refused" });
  }
  expect(ask("POST", own, {}, "/%61pi/clusters")).toBeNull();
  for (const url of ["/_next/image?url=%2Fa.png&w=64&q=75", "/_next/%69mage"])
    expect(ask("GET", json, {}, url)).toMatchObject({ status: 404 });
});

test("in read-only mode every change is refused, except signing in and out", () => {
  for (const method of unsafe) {
    expect(ask(method, own, { readOnly: true })).toMatchObject({
      status: 404,
      code: "not_found",
      message: expect.stringContaining("read-only"),
    });
  }
  for (const url of ["/api/sign-in", "/api/sign-out"]) expect(ask("POST", own, { readOnly: true }, url)).toBeNull();
  expect(ask("GET", json, { readOnly: true })).toBeNull();
});

describe("GET /metrics", () => {
  const scrape = (headers: Headers, more: Partial<GuardRules> = {}, url = "/metrics", method = "GET") =>
    ask(method, headers, { metrics: true, ...more }, url);

  test.each(["10.1.2.3:3000", "[fd00::7]:3000", "pod.example.com", "localhost:3000", undefined])(
    "is answered for the Host header %s",
    (host) => {
      expect(scrape({ host })).toBeNull();
      expect(scrape({ host, authorization: "Bearer abc" }, { readOnly: true })).toBeNull();
    },
  );

  test("is refused unless metrics are switched on", () => {
    expect(scrape({ host: "10.1.2.3:3000" }, { metrics: false })?.status).toBe(403);
    expect(asksForMetrics({ method: "GET", url: "/metrics" }, { metrics: false })).toBe(false);
  });

  test("opens no other path or method", () => {
    for (const url of [
      "/",
      "/api/clusters",
      "/metrics/",
      "/metrics/..",
      "/metrics?x",
      "/%6detrics",
      "//metrics",
      "/metrics/../api/clusters",
    ]) {
      expect(scrape({ host: "10.1.2.3:3000" }, {}, url)?.status, url).toBe(403);
      expect(asksForMetrics({ method: "GET", url }, { metrics: true }), url).toBe(false);
    }
    for (const method of ["HEAD", "OPTIONS", ...unsafe, "get"]) {
      expect(scrape({ ...json, host: "10.1.2.3:3000" }, {}, "/metrics", method)?.status, method).toBe(403);
    }
    expect(scrape({ host: "10.1.2.3:3000" }, {}, "http://10.1.2.3:3000/metrics")?.status).toBe(400);
  });
});

describe("a path that Next would read as another one", () => {
  test.each([
    "/api/./clusters",
    "/api/x/../clusters",
    "/api/%2e%2E/x",
    "/api/clusters/..",
    "//api/clusters",
    "/api//clusters",
    "/api\\clusters",
  ])("%s is refused", (url) => {
    for (const method of ["GET", "POST"]) expect(guardRefusal({ method, headers: own, url }, rules)).toMatchObject({ status: 400 });
  });

  test("is not one with a name that only looks like that, nor a query", () => {
    for (const url of ["/clusters/a%2Fb/crds", "/clusters/..a/crds/.b", "/clusters/a?from=//b/../c", "/clusters/DOMAIN%5Cuser"]) {
      expect(guardRefusal({ method: "GET", headers: own, url }, rules)).toBeNull();
    }
  });
});
