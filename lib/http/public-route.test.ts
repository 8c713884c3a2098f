import { afterEach, describe, expect, test, vi } from "vitest";
import { AppError } from "#lib/contract/app-error.ts";
import { type ErrorCode, errorBodySchema, errorCodes } from "#lib/contract/error.ts";
import { json } from "./json.ts";
import { publicRoute } from "./public-route.ts";

const url = "http://localhost/api/clusters";
const get = new Request(url);
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
