import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { getJson, isGivenUp, patchJson, postJson } from "#lib/queries/api-client.ts";
import { onProtection } from "./protection.ts";

const PATH = "/api/clusters/a/crds/crontabs.example.com/rewrites";
const protection = { pattern: "*.example.com", crd: "crontabs.example.com" };
const refusal = { code: "precondition_failed", message: "crontabs.example.com is protected.", details: { protection } };
const anything = z.object({});
const change = { label: "Rewrite" };

let stop = () => {};
afterEach(() => {
  stop();
  vi.unstubAllGlobals();
});

/** A server that answers with these errors, then with success. */
function serverAnswering(...errors: object[]) {
  const fetched = vi.fn(async (_path: string, _init: RequestInit) => {
    const error = errors.shift();
    return error ? Response.json({ error }, { status: 409 }) : Response.json({});
  });
  vi.stubGlobal("fetch", fetched);
  return { fetched, headersOf: (call: number) => Object.fromEntries(new Headers(fetched.mock.calls[call]?.[1].headers)) };
}

function asking(given: { reason: string } | null) {
  const ask = vi.fn(async () => given);
  stop = onProtection(ask);
  return ask;
}

test("a refused change to a protected definition is sent again with its name and the user's reason", async () => {
  const { fetched, headersOf } = serverAnswering(refusal);
  const ask = asking({ reason: "Für 1.20: es muss." });
  await postJson(PATH, { maxPerSecond: 5 }, anything, change);
  expect(ask.mock.calls).toEqual([[{ ...protection, change }]]);
  expect(fetched).toHaveBeenCalledTimes(2);
  expect(fetched.mock.calls.map(([path, { method, body }]) => [path, method, body])).toEqual(
    Array(2).fill([PATH, "POST", '{"maxPerSecond":5}']),
  );
  expect(headersOf(1)).toEqual({
    ...headersOf(0),
    "x-crdshift-confirm": "crontabs.example.com",
    "x-crdshift-reason": "F%C3%BCr%201.20%3A%20es%20muss.",
  });
});

test("a change without a reason is given up, and no error is shown", async () => {
  const { fetched } = serverAnswering(refusal);
  asking(null);
  const error = await patchJson(PATH, {}, anything, change).catch((error: unknown) => error);
  expect(isGivenUp(error)).toBe(true);
  expect(fetched).toHaveBeenCalledTimes(1);
});

test("a change that is refused twice asks for a reason only once", async () => {
  const { fetched } = serverAnswering(refusal, refusal);
  const ask = asking({ reason: "For the upgrade." });
  const error = await postJson(PATH, {}, anything, change).catch((error: unknown) => error);
  expect([isGivenUp(error), error]).toEqual([false, expect.objectContaining({ message: refusal.message })]);
  expect([ask.mock.calls.length, fetched.mock.calls.length]).toEqual([1, 2]);
});

test("no reason is asked for other refusals, for reads, or when nothing listens", async () => {
  const ask = asking({ reason: "For the upgrade." });
  serverAnswering({ code: "conflict", message: "A run is at work.", details: { run: "1" } }, refusal, refusal);
  await expect(postJson(PATH, {}, anything, change)).rejects.toMatchObject({ code: "conflict" });
  await expect(getJson(PATH, anything, new AbortController().signal)).rejects.toMatchObject({ code: "precondition_failed" });
  stop();
  await expect(postJson(PATH, {}, anything, change)).rejects.toMatchObject({ code: "precondition_failed" });
  expect(ask).not.toHaveBeenCalled();
});
