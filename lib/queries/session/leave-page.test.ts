import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";

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

test("leads to the sign-in page once if the user isn't signed in, and still reports the error", async () => {
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

test("stays on the sign-in page when it refuses a token", async () => {
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
])("stays on the page for a %i with %o", async (status, error) => {
  await read("/clusters/a", status, error);
  expect(replace).not.toHaveBeenCalled();
});
