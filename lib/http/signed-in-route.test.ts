import { ReadableStream } from "node:stream/web";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { AppError } from "#lib/contract/app-error.ts";
import { type ErrorCode, errorBodySchema, errorCodes } from "#lib/contract/error.ts";
import { json, publicRoute, readBody } from "./signed-in-route.ts";

const url = "http://localhost/api/clusters";
const get = new Request(url);
const post = (body: string) => new Request(url, { method: "POST", body });
const answer = (error: unknown, request = get) => {
  const route = publicRoute(async () => {
    throw error;
  });
  return route(request, { params: Promise.resolve({}) });
};

afterEach(() => vi.restoreAllMocks());

describe("an error's code decides the status", () => {
  const statuses: Record<ErrorCode, number> = {
    invalid_input: 400,
    unauthenticated: 401,
    forbidden: 403,
    request_refused: 403,
    not_found: 404,
    conflict: 409,
    precondition_failed: 409,
    too_large: 413,
    unsupported_media_type: 415,
    too_many_requests: 429,
    cluster_rejected: 422,
    cluster_unreachable: 502,
    cluster_timeout: 504,
    internal: 500,
  };

  test.each(errorCodes)("%s", async (code) => {
    const error = new AppError(code, "It went wrong.", {
      nextStep: "Do this.",
      clusterMessage: "the cluster's words",
      details: { run: 1 },
    });
    const response = await answer(error);
    expect(response.status).toBe(statuses[code]);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(errorBodySchema.parse(await response.json())).toEqual({
      error: { code, message: "It went wrong.", cause: "the cluster's words", nextStep: "Do this.", details: { run: 1 } },
    });
  });

  test("the answer leaves out what the error doesn't have", async () => {
    expect(await (await answer(new AppError("conflict", "No."))).json()).toEqual({ error: { code: "conflict", message: "No." } });
  });

  test("an error from another bundle gets its status too", async () => {
    const foreign = Object.assign(new Error("No."), { name: "AppError", code: "conflict" });
    expect((await answer(foreign)).status).toBe(409);
  });
});

test("the text of an unexpected error stays in the log and never leaves the server", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const request = new Request(`${url}?q=secret`, { headers: { "x-request-id": "id-1", cookie: "a=secret" } });
  const response = await answer(new Error("token abc123 in /root/.kube/config"), request);
  const text = await response.text();
  expect(response.status).toBe(500);
  expect(text).not.toMatch(/abc123|root|stack/);
  expect(errorBodySchema.parse(JSON.parse(text)).error.code).toBe("internal");
  const line: unknown = JSON.parse(String(log.mock.calls[0]?.[0]));
  expect(line).toMatchObject({ level: "error", requestId: "id-1", method: "GET", path: "/api/clusters" });
  expect(line).toMatchObject({ at: expect.stringMatching(/Z$/), detail: expect.stringContaining("abc123") });
  expect(JSON.stringify(line)).not.toContain("secret");
});

test("an error after the client disconnected is not logged", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const left = new AbortController();
  const request = new Request(url, { signal: left.signal });
  left.abort();
  expect((await answer(new Error("aborted"), request)).status).toBe(499);
  expect(log).not.toHaveBeenCalled();
});

describe("a path parameter", () => {
  const route = publicRoute<"cluster">(async ({ params }) => json(params));

  test.each(["arn:aws:eks:eu-west-1:1:cluster/a b", "p%2Fq", "p/q", "a%252Fb", "100%", "café"])(
    "is passed on as Next decoded it: %s",
    async (cluster) => {
      expect(await (await route(get, { params: Promise.resolve({ cluster }) })).json()).toEqual({ cluster });
    },
  );
});

describe("a request body", () => {
  const chunked = (chunks: Iterable<Uint8Array>) =>
    new Request(url, { method: "POST", body: ReadableStream.from(chunks), duplex: "half" } as RequestInit);
  const schema = z.strictObject({ confirm: z.string().optional(), count: z.int().optional() });
  const problem = (body: string) => readBody(post(body), schema).catch((error: unknown) => error);

  test("is parsed by the schema, and an empty one counts as {}", async () => {
    expect(await readBody(post('{"confirm":"a"}'), schema)).toEqual({ confirm: "a" });
    expect(await readBody(post(""), schema)).toEqual({});
  });

  test.each(["{", "confirm=a", "{'confirm':'a'}"])("that isn't JSON is refused: %s", async (body) => {
    expect(await problem(body)).toMatchObject({ name: "AppError", code: "invalid_input", message: "The body is not JSON." });
  });

  test.each([
    ['{"count":"many"}', /count: /],
    ['{"confirm":1,"count":1.5}', /confirm: .*; count: /],
    ['{"other":1}', /other/],
    ["[]", /expected object/],
    ["null", /expected object/],
  ])("that doesn't match the schema is refused with every problem named: %s", async (body, message) => {
    expect(await problem(body)).toMatchObject({ code: "invalid_input", message: expect.stringMatching(message) });
  });

  test("is accepted up to 1 MiB and refused above", async () => {
    const of = (length: number) => `{"confirm":"${"x".repeat(length - 14)}"}`;
    expect(await problem(of(1024 * 1024 + 1))).toMatchObject({ code: "too_large" });
    expect(await problem(of(1024 * 1024))).toHaveProperty("confirm");
  });

  test("is accepted up to the route's own limit", async () => {
    const body = (length: number) => post(`{"confirm":"${"x".repeat(length - 14)}"}`);
    await expect(readBody(body(16 * 1024 + 1), schema, 16)).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringContaining("16 KiB"),
    });
    expect(await readBody(body(16 * 1024), schema, 16)).toHaveProperty("confirm");
  });

  test("is measured in bytes, not in characters", async () => {
    expect(await problem(`{"confirm":"${"ä".repeat(600_000)}"}`)).toMatchObject({ code: "too_large" });
  });

  test("that arrives in chunks keeps characters that span two of them", async () => {
    const bytes = new TextEncoder().encode('{"confirm":"ä€😀"}');
    expect(await readBody(chunked([...bytes].map((byte) => Uint8Array.of(byte))), schema)).toEqual({ confirm: "ä€😀" });
  });

  test("without a stated length is refused as soon as it exceeds the limit", async () => {
    let given = 0;
    const endless = (function* () {
      for (; given < 1_000; given += 1) yield new Uint8Array(64 * 1024).fill(32);
    })();
    await expect(readBody(chunked(endless), schema)).rejects.toMatchObject({ code: "too_large" });
    expect(given).toBeLessThan(32);
  });
});
