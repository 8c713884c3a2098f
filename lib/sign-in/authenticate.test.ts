import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { authenticate, whoAsks } from "./authenticate.ts";
import { endOfReading } from "./confirm-token.ts";
import { seal } from "./session/seal.ts";
import { endingCookies, findSession, newSession, sessionCookies, signOut } from "./session/session.ts";
import { endSession } from "./session/signed-out.ts";

const TOKEN = "a-token-of-scripts-0123456789";
const key = () => randomBytes(32).toString("base64");
const ask = (headers: Record<string, string> = {}) =>
  new Request("http://localhost:3000/api/clusters", { headers: { host: "localhost:3000", ...headers } });
const isSignedIn = (request: Request) => whoAsks(request).credentials !== null;
const unauthenticated = expect.objectContaining({ code: "unauthenticated", details: { signIn: true } });

/** What a browser sends back of Set-Cookie headers. */
function sent(cookies: string[]): string {
  return cookies
    .filter((cookie) => !cookie.includes("Max-Age=0"))
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}
const withSession = (session = newSession("local", null)) => ask({ cookie: sent(sessionCookies(ask(), session)) });

beforeEach(() => {
  vi.stubEnv("CRDSHIFT_SESSION_KEYS", key());
  vi.stubEnv("CRDSHIFT_INSTANCE", "test");
  vi.stubEnv("KUBERNETES_SERVICE_HOST", "");
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

describe("in the mode local", () => {
  beforeEach(() => void vi.stubEnv("CRDSHIFT_TOKEN", TOKEN));

  test("only the script token or the session cookie signs in", () => {
    expect(authenticate(ask({ authorization: `Bearer ${TOKEN}` }))).toEqual({ kind: "own" });
    expect(authenticate(withSession())).toEqual({ kind: "own" });
    const others = ["Bearer ", "Bearer x", `Basic ${TOKEN}`, TOKEN, `Bearer ${TOKEN}x`, `Bearer ${TOKEN} ${TOKEN}`];
    for (const authorization of others) expect(() => authenticate(ask({ authorization })), authorization).toThrow(unauthenticated);
    expect(() => authenticate(ask())).toThrow(unauthenticated);
  });

  test("an empty token doesn't sign in when no script token is set", () => {
    vi.stubEnv("CRDSHIFT_TOKEN", "");
    for (const authorization of ["Bearer ", "Bearer", "", "Bearer undefined"])
      expect(() => authenticate(ask({ authorization }))).toThrow(unauthenticated);
  });

  test("a wrong Authorization header is refused despite a valid cookie", () => {
    const cookie = withSession().headers.get("cookie") ?? "";
    for (const authorization of ["Bearer wrong", "Bearer", "bearer two words"]) {
      expect(() => authenticate(ask({ cookie, authorization }))).toThrow(unauthenticated);
    }
    // A proxy may use its own scheme for its own sign-in.
    expect(authenticate(ask({ cookie, authorization: "Basic YTpi" }))).toEqual({ kind: "own" });
  });
});

describe("a session", () => {
  test("ends after eight hours, with its token, and with a sign-out, also in a copy of the cookie", () => {
    const request = withSession();
    expect(isSignedIn(request)).toBe(true);
    vi.setSystemTime(Date.now() + 8 * 3_600_000 + 1);
    expect(isSignedIn(request)).toBe(false);

    const short = withSession(newSession("local", { text: "t", expiresAt: Date.now() + 60_000 }));
    expect(isSignedIn(short)).toBe(true);
    vi.setSystemTime(Date.now() + 60_001);
    expect(isSignedIn(short)).toBe(false);

    const other = withSession();
    const { session } = findSession(other);
    if (session) endSession(session);
    expect(isSignedIn(other)).toBe(false);
    expect(isSignedIn(withSession())).toBe(true);
  });

  test("may read on until its sign-out, and then says so", async () => {
    const request = withSession();
    expect(await endOfReading(request)).toBeNull();
    const { session } = findSession(request);
    if (session) endSession(session);
    expect(await endOfReading(request)).toMatchObject({ code: "unauthenticated", details: { ended: "signed-out" } });
  });

  test("that is over says why, but only to a request with its cookie", () => {
    const endOf = (request: Request) => {
      const asker = whoAsks(request);
      return asker.credentials ? "signed in" : asker.ended;
    };
    expect(endOf(ask())).toBe(null);
    const jwt = (expiresAt: number) => `e30.${Buffer.from(JSON.stringify({ exp: expiresAt / 1_000 })).toString("base64url")}.e30`;
    vi.stubEnv("CRDSHIFT_MODE", "token");
    const expiresAt = Math.ceil(Date.now() / 1_000 + 60) * 1_000;
    const withToken = withSession(newSession("token", { text: jwt(expiresAt), expiresAt }));
    const withoutEnd = withSession(newSession("token", { text: "t", expiresAt: null }));
    const left = withSession(newSession("token", { text: "t", expiresAt: null }));
    expect(endOf(withToken)).toBe("signed in");
    const { session } = findSession(left);
    if (session) endSession(session);
    expect(endOf(left)).toBe("signed-out");
    expect(() => authenticate(left)).toThrow(expect.objectContaining({ details: { signIn: true, ended: "signed-out" } }));
    vi.setSystemTime(expiresAt + 1);
    expect(endOf(withToken)).toBe("token-over");
    expect(endOf(withoutEnd)).toBe("signed in");
    vi.setSystemTime(Date.now() + 8 * 3_600_000);
    expect(endOf(withoutEnd)).toBe("time-over");
    vi.stubEnv("CRDSHIFT_SESSION_KEYS", key());
    expect(endOf(withoutEnd)).toBe("other-key");
    // Where a header decides, the cookie was not asked.
    expect(endOf(ask({ cookie: withoutEnd.headers.get("cookie") ?? "", authorization: "Bearer" }))).toBe(null);
  });

  test("is valid with its own key, and after a key rotation while the old key is listed second", () => {
    const [first, second] = [key(), key()];
    vi.stubEnv("CRDSHIFT_SESSION_KEYS", first);
    const request = withSession();
    vi.stubEnv("CRDSHIFT_SESSION_KEYS", `${second},${first}`);
    expect(isSignedIn(request)).toBe(true);
    vi.stubEnv("CRDSHIFT_SESSION_KEYS", second);
    expect(isSignedIn(request)).toBe(false);
  });

  test("is valid in one mode and one instance only", () => {
    const request = withSession(newSession("token", { text: "t", expiresAt: null }));
    expect(isSignedIn(request)).toBe(false);
    vi.stubEnv("CRDSHIFT_MODE", "token");
    expect(isSignedIn(request)).toBe(true);
    vi.stubEnv("CRDSHIFT_INSTANCE", "other");
    expect(isSignedIn(request)).toBe(false);
  });

  // Another port of the host can set cookies, too, and the browser sends those with the longer path first. Without signOut (session.ts), a
  // copy of the cookie outlives the sign-out.
  test("is found, and ended, behind cookies that another port has set", () => {
    const cookie = withSession().headers.get("cookie") ?? "";
    const behindJunk = ask({ cookie: `crdshift-test-s.0=junk; crdshift-test-s.1=junk; ${cookie}` });
    expect(isSignedIn(behindJunk)).toBe(true);
    signOut(behindJunk);
    expect(isSignedIn(ask({ cookie }))).toBe(false);
  });

  test("is valid for one cluster only, whatever the clusters' addresses are", async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "crdshift-clusters-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    vi.stubEnv("CRDSHIFT_MODE", "token");
    const moveTo = async (server: string, ca: string, proxy?: string) => {
      const file = path.join(directory, "config");
      const data = Buffer.from(ca).toString("base64");
      const cluster = { server, "certificate-authority-data": data, ...(proxy && { "proxy-url": proxy }) };
      const context = { name: "main", context: { cluster: "main", user: "me" } };
      const config = { clusters: [{ name: "main", cluster }], contexts: [context], users: [{ name: "me", user: {} }] };
      await writeFile(file, JSON.stringify(config));
      vi.stubEnv("KUBECONFIG", file);
    };
    const endOf = (request: Request) => findSession(request).ended;
    await moveTo("https://10.0.0.1", "one CA");
    const request = withSession(newSession("token", { text: "t", expiresAt: null }));
    expect(isSignedIn(request)).toBe(true);
    await moveTo("https://10.0.0.1", "another CA");
    expect(endOf(request)).toBe("other-cluster");
    await moveTo("https://10.0.0.2", "one CA");
    expect(endOf(request)).toBe("other-cluster");
    // Without proxyUrl (sign-in-cluster.ts), the token goes to whatever cluster has the address there.
    await moveTo("https://10.0.0.1", "one CA", "http://proxy.example.com");
    expect(endOf(request)).toBe("other-cluster");
    await moveTo("https://10.0.0.1", "one CA");
    expect(isSignedIn(request)).toBe(true);
  });

  test("is kept in cookies that scripts, other sites and plain http can't read", () => {
    const plain = sessionCookies(ask(), newSession("local", null))[0];
    expect(plain).toMatch(/^crdshift-test-s\.0=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=28800$/);
    vi.stubEnv("CRDSHIFT_ORIGINS", "https://crds.example.com");
    for (const host of ["crds.example.com", "crds.example.com:443", "CRDS.example.com"]) {
      const secure = sessionCookies(ask({ host }), newSession("local", null))[0];
      expect(secure).toMatch(/^__Host-crdshift-test-s\.0=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=28800$/);
    }
    for (const cookie of endingCookies(ask())) expect(cookie).toMatch(/^crdshift-test-s\.\d=; .*Max-Age=0$/);
  });

  test.each(["", "x", "AAAA", "a".repeat(20_000), "%00", "{}"])("is not found in the invalid cookie %s", (value) => {
    expect(isSignedIn(ask({ cookie: `crdshift-test-s.0=${value}` }))).toBe(false);
  });
});

test("a cookie that another release sealed counts as no session", () => {
  const keys = [randomBytes(32)];
  vi.stubEnv("CRDSHIFT_SESSION_KEYS", keys[0]?.toString("base64"));
  const cookie = `crdshift-test-s.0=${seal(keys, "crdshift-test-s", '{"v":2}')}`;
  expect(isSignedIn(ask({ cookie }))).toBe(false);
});

describe("in the mode token", () => {
  beforeEach(() => void vi.stubEnv("CRDSHIFT_MODE", "token"));

  test("a request gets the token of its header or cookie, and never crdshift's own credentials", () => {
    expect(authenticate(ask({ authorization: "Bearer abc.def" }))).toEqual({ kind: "bearer", token: "abc.def" });
    expect(authenticate(withSession(newSession("token", { text: "mine", expiresAt: null })))).toEqual({ kind: "bearer", token: "mine" });
    for (const authorization of ["Bearer ", "Bearer", "Basic abc", ""])
      expect(() => authenticate(ask({ authorization }))).toThrow(unauthenticated);
    expect(() => authenticate(ask())).toThrow(unauthenticated);
  });

  test("a proxy's token header counts only if it is configured", () => {
    const request = ask({ "x-forwarded-access-token": "abc" });
    expect(() => authenticate(request)).toThrow(unauthenticated);
    vi.stubEnv("CRDSHIFT_TOKEN_HEADER", "X-Forwarded-Access-Token");
    expect(authenticate(request)).toEqual({ kind: "bearer", token: "abc" });
    expect(() => authenticate(ask({ "x-forwarded-access-token": "two words" }))).toThrow(unauthenticated);
  });
});

test("the mode unsafe-shared-readonly needs no sign-in", () => {
  vi.stubEnv("CRDSHIFT_MODE", "unsafe-shared-readonly");
  expect(authenticate(ask())).toEqual({ kind: "own" });
});
