import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import type { SessionInfo } from "#lib/contract/session.ts";
import { signInAddress } from "./leave-page.ts";

const replace = vi.fn();

beforeEach(() => {
  // Each page has its own module state.
  vi.resetModules();
  replace.mockReset();
});
afterEach(() => vi.unstubAllGlobals());

/** Makes a request from a page at this address and returns the error. */
async function read(address: string, status: number, error: object): Promise<unknown> {
  const { pathname, search, hash } = new URL(address, "http://localhost");
  vi.stubGlobal("window", { location: { pathname, search, hash, replace } });
  vi.stubGlobal("fetch", async () => Response.json({ error }, { status }));
  const { getJson } = await import("#lib/queries/api-client.ts");
  const asked = () => getJson("/api/clusters", z.object({}), new AbortController().signal).catch((failure: unknown) => failure);
  await asked();
  return asked();
}

test("a request without sign-in leads to the sign-in page once, and still throws its error", async () => {
  const error = { code: "unauthenticated", message: "You are not signed in.", details: { signIn: true } };
  expect(await read("/clusters/a?q=x", 401, error)).toMatchObject({ status: 401, message: "You are not signed in." });
  expect(replace.mock.calls).toEqual([["/sign-in?from=%2Fclusters%2Fa%3Fq%3Dx"]]);
});

test.each([
  ["token-refused", "/sign-in?from=%2Fclusters%2Fa%23rewrites&ended=token-refused"],
  ["<script>", "/sign-in?from=%2Fclusters%2Fa%23rewrites"],
])("a session that ended with %j leads to %s", async (ended, address) => {
  await read("/clusters/a#rewrites", 401, { code: "unauthenticated", message: "Not any more.", details: { signIn: true, ended } });
  expect(replace.mock.calls).toEqual([[address]]);
});

test("the sign-in page stays when the cluster rejects a token", async () => {
  await read("/sign-in?from=/", 401, {
    code: "unauthenticated",
    message: "The cluster rejected the token.",
    details: { signIn: true },
  });
  expect(replace).not.toHaveBeenCalled();
});

test.each([
  [401, { code: "unauthenticated", message: "The kubeconfig's token has expired." }],
  [403, { code: "forbidden", message: "You may not list crontabs.", details: { signIn: true } }],
])("the page stays for an error that signing in can't solve: %i with %o", async (status, error) => {
  await read("/clusters/a", status, error);
  expect(replace).not.toHaveBeenCalled();
});

test.each([
  ["/", "", "", "/sign-in"],
  ["/", "?a=b", "", "/sign-in?from=%2F%3Fa%3Db"],
  ["/clusters/a%2Fb", "?q=x&state=blocked", "", "/sign-in?from=%2Fclusters%2Fa%252Fb%3Fq%3Dx%26state%3Dblocked"],
  ["/clusters/a", "?q=x", "#step-3", "/sign-in?from=%2Fclusters%2Fa%3Fq%3Dx%23step-3"],
  ["/sign-in", "?from=%2Fclusters%2Fa", "", null],
])("the page %s%s%s leads to the sign-in address %s", (pathname, search, hash, address) => {
  expect(signInAddress({ pathname, search, hash })).toBe(address);
  if (address?.includes("?")) expect(new URL(address, "http://localhost").searchParams.get("from")).toBe(`${pathname}${search}${hash}`);
});

test("the sign-in address includes the reason the session ended, if known", () => {
  expect(signInAddress({ pathname: "/", search: "", hash: "" }, "token-over")).toBe("/sign-in?ended=token-over");
  expect(signInAddress({ pathname: "/a", search: "", hash: "" }, "signed-out")).toBe("/sign-in?from=%2Fa&ended=signed-out");
});

test("the sign-in address never contains a sign-in link's secret", () => {
  expect(signInAddress({ pathname: "/clusters/a", search: "", hash: "#launch=secret" })).toBe("/sign-in?from=%2Fclusters%2Fa");
});

const until = "2026-01-01T12:00:00.000Z";
const end = Date.parse(until);
const session: SessionInfo = {
  ...{ mode: "token", readOnly: false, inPod: false, signedIn: true, user: null, ended: null, cluster: "c" },
  ...{ until, tokenUntil: until },
};

// Each page has its own module state.
beforeEach(() => void vi.resetModules());

test("a session past its end is over, and the reason is the token if both end together", async () => {
  const { endByClock, rememberSession } = await import("./leave-page.ts");
  expect(endByClock(end)).toBe(null);
  rememberSession(session);
  expect(endByClock(end - 60_000)).toBe(null);
  expect(endByClock(end)).toBe("token-over");
  rememberSession({ ...session, tokenUntil: "2026-01-01T20:00:00.000Z" });
  expect(endByClock(end)).toBe("time-over");
  rememberSession({ ...session, tokenUntil: null });
  expect(endByClock(end)).toBe("time-over");
});

test("a session from a proxy's header never ends by the clock, and a signed-out answer doesn't replace the known session", async () => {
  const { endByClock, rememberSession } = await import("./leave-page.ts");
  rememberSession({ ...session, until: null });
  expect(endByClock(end)).toBe(null);
  rememberSession(session);
  rememberSession({ ...session, signedIn: false, until: null, tokenUntil: null });
  expect(endByClock(end)).toBe("token-over");
});
