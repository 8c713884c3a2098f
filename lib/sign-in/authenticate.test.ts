import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { authenticate, whoAsks } from "./authenticate.ts";
import { endOfReading } from "./confirm-token.ts";
import { seal } from "./session/seal.ts";
import { endingCookies, findSession, newSession, sessionCookies } from "./session/session.ts";
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

describe("local", () => {
  beforeEach(() => void vi.stubEnv("CRDSHIFT_TOKEN", TOKEN));

  test("takes the script's token and the cookie, and nothing else", () => {
    expect(authenticate(ask({ authorization: `Bearer ${TOKEN}` }))).toEqual({ kind: "own" });
    expect(authenticate(withSession())).toEqual({ kind: "own" });
    const others = ["Bearer ", "Bearer x", `Basic ${TOKEN}`, TOKEN, `Bearer ${TOKEN}x`, `Bearer ${TOKEN} ${TOKEN}`];
    for (const authorization of others) expect(() => authenticate(ask({ authorization })), authorization).toThrow(unauthenticated);
    expect(() => authenticate(ask())).toThrow(unauthenticated);
  });

  test("takes no empty token where none is set", () => {
    vi.stubEnv("CRDSHIFT_TOKEN", "");
    for (const authorization of ["Bearer ", "Bearer", "", "Bearer undefined"])
      expect(() => authenticate(ask({ authorization }))).toThrow(unauthenticated);
  });

  test("does not fall back to the cookie where the header is wrong", () => {
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

  test("may read on until its sign-out, which is then the reason", async () => {
    const request = withSession();
    expect(await endOfReading(request)).toBeNull();
    const { session } = findSession(request);
    if (session) endSession(session);
    expect(await endOfReading(request)).toMatchObject({ code: "unauthenticated", details: { ended: "signed-out" } });
  });

  test("that is over says why, and nothing but the cookie itself does", () => {
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

  test("is of one key, and of the one before it while that is the second", () => {
    const [first, second] = [key(), key()];
    vi.stubEnv("CRDSHIFT_SESSION_KEYS", first);
    const request = withSession();
    vi.stubEnv("CRDSHIFT_SESSION_KEYS", `${second},${first}`);
    expect(isSignedIn(request)).toBe(true);
    vi.stubEnv("CRDSHIFT_SESSION_KEYS", second);
    expect(isSignedIn(request)).toBe(false);
  });

  test("is of one mode and one instance", () => {
    const request = withSession(newSession("token", { text: "t", expiresAt: null }));
    expect(isSignedIn(request)).toBe(false);
    vi.stubEnv("CRDSHIFT_MODE", "token");
    expect(isSignedIn(request)).toBe(true);
    vi.stubEnv("CRDSHIFT_INSTANCE", "other");
    expect(isSignedIn(request)).toBe(false);
  });

  test("is kept in cookies that no script, no other site and no plain http sees", () => {
    const plain = sessionCookies(ask(), newSession("local", null))[0];
    expect(plain).toMatch(/^crdshift-test-s\.0=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=28800$/);
    vi.stubEnv("CRDSHIFT_ORIGINS", "https://crds.example.com");
    for (const host of ["crds.example.com", "crds.example.com:443", "CRDS.example.com"]) {
      const secure = sessionCookies(ask({ host }), newSession("local", null))[0];
      expect(secure).toMatch(/^__Host-crdshift-test-s\.0=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=28800$/);
    }
    for (const cookie of endingCookies(ask())) expect(cookie).toMatch(/^crdshift-test-s\.\d=; .*Max-Age=0$/);
  });

  test.each(["", "x", "AAAA", "a".repeat(20_000), "%00", "{}"])("is not in a cookie of %s", (value) => {
    expect(isSignedIn(ask({ cookie: `crdshift-test-s.0=${value}` }))).toBe(false);
  });
});

test("a sealed cookie of another release is no session, and no error", () => {
  const keys = [randomBytes(32)];
  vi.stubEnv("CRDSHIFT_SESSION_KEYS", keys[0]?.toString("base64"));
  const cookie = `crdshift-test-s.0=${seal(keys, "crdshift-test-s", '{"v":2}')}`;
  expect(isSignedIn(ask({ cookie }))).toBe(false);
});

describe("token", () => {
  beforeEach(() => void vi.stubEnv("CRDSHIFT_MODE", "token"));

  test("gives the bearer token of the header, or that of the cookie, and nothing of its own", () => {
    expect(authenticate(ask({ authorization: "Bearer abc.def" }))).toEqual({ kind: "bearer", token: "abc.def" });
    expect(authenticate(withSession(newSession("token", { text: "mine", expiresAt: null })))).toEqual({ kind: "bearer", token: "mine" });
    for (const authorization of ["Bearer ", "Bearer", "Basic abc", ""])
      expect(() => authenticate(ask({ authorization }))).toThrow(unauthenticated);
    expect(() => authenticate(ask())).toThrow(unauthenticated);
  });

  test("minds the header of a proxy only where it was switched on", () => {
    const request = ask({ "x-forwarded-access-token": "abc" });
    expect(() => authenticate(request)).toThrow(unauthenticated);
    vi.stubEnv("CRDSHIFT_TOKEN_HEADER", "X-Forwarded-Access-Token");
    expect(authenticate(request)).toEqual({ kind: "bearer", token: "abc" });
    expect(() => authenticate(ask({ "x-forwarded-access-token": "two words" }))).toThrow(unauthenticated);
  });
});

test("unsafe-shared-readonly needs no sign-in", () => {
  vi.stubEnv("CRDSHIFT_MODE", "unsafe-shared-readonly");
  expect(authenticate(ask())).toEqual({ kind: "own" });
});
