import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";

const replace = vi.fn();

beforeEach(() => {
  // Each page has its own.
  vi.resetModules();
  replace.mockReset();
});
afterEach(() => vi.unstubAllGlobals());

/** What a page at this address does with an answer to a request. */
async function read(address: string, status: number, error: object): Promise<unknown> {
  const { pathname, search, hash } = new URL(address, "http://localhost");
  vi.stubGlobal("window", { location: { pathname, search, hash, replace } });
  vi.stubGlobal("fetch", async () => Response.json({ error }, { status }));
  const { getJson } = await import("#lib/queries/api-client.ts");
  const asked = () => getJson("/api/clusters", z.object({}), new AbortController().signal).catch((failure: unknown) => failure);
  await asked();
  return asked();
}

test("whoever is not signed in is led to the sign-in once, and the answer stays an error", async () => {
  const error = { code: "unauthenticated", message: "You are not signed in.", details: { signIn: true } };
  expect(await read("/clusters/a?q=x", 401, error)).toMatchObject({ status: 401, message: "You are not signed in." });
  expect(replace.mock.calls).toEqual([["/sign-in?from=%2Fclusters%2Fa%3Fq%3Dx"]]);
});

test.each([
  ["token-refused", "/sign-in?from=%2Fclusters%2Fa%23rewrites&ended=token-refused"],
  ["<script>", "/sign-in?from=%2Fclusters%2Fa%23rewrites"],
])("that the session ended with %j leads to %s", async (ended, address) => {
  await read("/clusters/a#rewrites", 401, { code: "unauthenticated", message: "Not any more.", details: { signIn: true, ended } });
  expect(replace.mock.calls).toEqual([[address]]);
});

test("the sign-in itself stays: a token that is refused there is told there", async () => {
  await read("/sign-in?from=/", 401, {
    code: "unauthenticated",
    message: "The cluster does not take the token.",
    details: { signIn: true },
  });
  expect(replace).not.toHaveBeenCalled();
});

test.each([
  [401, { code: "unauthenticated", message: "The kubeconfig's token has expired." }],
  [403, { code: "forbidden", message: "You may not list crontabs.", details: { signIn: true } }],
])("a %i with %o is told where it happened", async (status, error) => {
  await read("/clusters/a", status, error);
  expect(replace).not.toHaveBeenCalled();
});
