import { describe, expect, test } from "vitest";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { statusError } from "#lib/cluster/transport/errors.ts";
import { answerTooLarge } from "#lib/cluster/transport/whole-answer.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { UnreadableJson } from "#lib/domain/exact-json/exact-json.ts";
import { classifyFailure, UNREADABLE } from "./classify-failure.ts";

const object = { namespace: "default", name: "my-tab" };
const request = { method: "PATCH", path: "/apis/example.com/v1/namespaces/default/crontabs/my-tab" };

const answered = (status: number, body: string | object = {}, headers: Record<string, string> = {}) =>
  statusError(status, headers, typeof body === "string" ? body : JSON.stringify({ kind: "Status", ...body }), request);
const notFound = (name: string, kind = "crontabs") =>
  answered(404, { reason: "NotFound", message: `"${name}" not found`, details: { name, kind } });

describe("an object is gone", () => {
  test("only on a Status NotFound that names it", () => {
    expect(classifyFailure(notFound("my-tab"), object)).toEqual({ kind: "gone" });
  });

  test.each([
    ["the version isn't served: plain text", answered(404, "404 page not found")],
    ["a Status that names nothing", answered(404, { reason: "NotFound", message: "the server could not find the requested resource" })],
    ["a Status that names another object, such as the namespace", notFound("default", "namespaces")],
    ["a Status of another reason", answered(404, { reason: "", details: { name: "my-tab" } })],
    ["a proxy's page", answered(404, "<html>Not Found</html>")],
  ])("not when %s: that stops the run", (_, error) => {
    expect(classifyFailure(error, object)).toMatchObject({ kind: "stop", message: expect.stringContaining("no longer served") });
  });

  test("never when a list gets the 404, for any name", () => {
    expect(classifyFailure(notFound("my-tab"), null).kind).toBe("stop");
  });
});

// As refusals, those of a gateway whose session has ended would reject one object after the other, without a word.
test.each([301, 302, 307])("a redirect (%d) refuses no object: all wait", (status) => {
  const told = { kind: "wait", message: expect.stringContaining("redirects crdshift's requests") };
  expect(classifyFailure(answered(status, ""), object)).toMatchObject(told);
  expect(classifyFailure(answered(status, ""), null)).toMatchObject(told);
});

describe("the server's refusal of one object is that object's rejection, with the server's message", () => {
  test.each([
    [400, "BadRequest"],
    [403, "Forbidden"],
    [405, "MethodNotAllowed"],
    [413, "RequestEntityTooLarge"],
    [415, "UnsupportedMediaType"],
    [422, "Invalid"],
  ])("%d %s", (status, reason) => {
    const error = answered(status, { reason, message: "denied by policy" });
    expect(classifyFailure(error, object)).toEqual({ kind: "rejected", reason, message: "denied by policy" });
  });

  // Retried, an object that outgrew etcd's limit by a new default is named only after minutes, in each run again.
  test("and so is etcd's, if the object is too large for it", () => {
    const error = answered(500, { message: "etcdserver: request is too large" });
    expect(classifyFailure(error, object)).toMatchObject({ kind: "rejected", message: "etcdserver: request is too large" });
    expect(classifyFailure(error, null)).toMatchObject({ kind: "wait" });
  });

  test("and for a list it stops the run", () => {
    expect(classifyFailure(answered(403, { reason: "Forbidden", message: "no list" }), null)).toEqual({ kind: "stop", message: "no list" });
  });

  test("but an API server that may not know its roles yet refuses nothing for good", () => {
    const error = answered(403, { reason: "Forbidden", message: "no role" });
    Object.assign(clusterAnswer(error) ?? expect.fail(), { isEarlyDenial: true });
    expect(classifyFailure(error, object)).toEqual({ kind: "retry", reason: "Forbidden", message: "no role", afterMs: null });
    expect(classifyFailure(error, null)).toMatchObject({ kind: "wait", message: "The API server denies what it granted before: no role" });
  });

  test("without a Status the reason is the HTTP status", () => {
    expect(classifyFailure(answered(403, "blocked by the proxy"), object)).toMatchObject({
      reason: "HTTP 403",
      message: "blocked by the proxy",
    });
  });
});

describe("no request can succeed, so all wait", () => {
  test.each([
    [
      "throttled, with the server's wait",
      answered(429, { reason: "TooManyRequests", message: "slow down" }, { "retry-after": "7" }),
      /slow down/,
      7_000,
    ],
    [
      "throttled, with the wait in the Status",
      answered(429, { reason: "TooManyRequests", details: { retryAfterSeconds: 3 } }),
      /slow down/,
      3_000,
    ],
    ["throttled, without a wait", answered(429, { reason: "TooManyRequests" }), /slow down/, null],
    ["signed out", answered(401, { reason: "Unauthorized", message: "Unauthorized" }), /sign in again/, 5_000],
    ["a request timeout", answered(408, {}), /can't respond right now/, null],
    ["a bad gateway", answered(502, "Bad Gateway"), /Bad Gateway/, null],
    [
      "unavailable",
      answered(503, { reason: "ServiceUnavailable", message: "shutting down" }, { "retry-after": "1" }),
      /shutting down/,
      1_000,
    ],
    ["a gateway timeout", answered(504, { reason: "Timeout", message: "etcd is slow" }), /etcd is slow/, null],
    [
      "the network",
      new AppError("cluster_unreachable", "Can't be reached.", { clusterMessage: "ECONNREFUSED" }),
      /Can't be reached\. ECONNREFUSED/,
      null,
    ],
    ["a time-out of ours", new AppError("cluster_timeout", "No answer in time."), /No answer in time/, null],
  ])("%s", (_, error, message, afterMs) => {
    for (const of of [object, null]) {
      expect(classifyFailure(error, of)).toMatchObject({ kind: "wait", message: expect.stringMatching(message), afterMs });
    }
  });
});

describe("a possible problem of one object is retried, and for a list all wait", () => {
  test.each([
    [409, "Conflict", "the object has been modified"],
    [500, "InternalError", "etcdserver: leader changed"],
  ])("%d %s", (status, reason, message) => {
    const error = answered(status, { reason, message });
    expect(classifyFailure(error, object)).toEqual({ kind: "retry", reason, message, afterMs: null });
    expect(classifyFailure(error, null)).toEqual({ kind: "wait", reason: null, message, afterMs: null });
  });

  test.each([
    ["503", answered(503, { reason: "ServiceUnavailable" }), "ServiceUnavailable"],
    ["504", answered(504, "Gateway Timeout"), "HTTP 504"],
    ["a time-out of ours", new AppError("cluster_timeout", "No answer in time."), "Timeout"],
    ["the network", new AppError("cluster_unreachable", "Can't be reached."), "Unreachable"],
  ])("%s carries the reason to reject the object with when the others succeed", (_, error, reason) => {
    expect(classifyFailure(error, object)).toMatchObject({ kind: "wait", reason });
  });

  test.each([
    ["throttling", answered(429, { reason: "TooManyRequests" })],
    ["signed out", answered(401, { reason: "Unauthorized" })],
    ["credentials that can't be renewed", new AppError("unauthenticated", "The plugin failed.")],
  ])("%s is never an object's fault", (_, error) => {
    expect(classifyFailure(error, object)).toMatchObject({ kind: "wait", reason: null });
  });

  test.each([
    [
      "500",
      answered(500, { reason: "InternalError", message: "conversion webhook for example.com/v1beta1, Kind=CronTab failed: refused" }),
    ],
    [
      "500 from the webhook's own answer",
      answered(500, { message: "conversion webhook for example.com/v1, Kind=CronTab returned invalid metadata" }),
    ],
    [
      "429, which is no throttling",
      answered(429, {
        reason: "TooManyRequests",
        message: "storage is (re)initializing: conversion webhook for example.com/v1, Kind=CronTab failed",
      }),
    ],
  ])("a conversion failure (%s)", (_, error) => {
    expect(classifyFailure(error, object)).toMatchObject({ kind: "retry" });
    expect(classifyFailure(error, null)).toMatchObject({ kind: "wait", message: expect.stringMatching(/^Objects can't be converted: /) });
  });
});

test("the wait that a webhook's denial asks for is cut to some seconds", () => {
  const denied = (seconds: number) =>
    answered(429, {
      message: 'admission webhook "w.example.com" denied the request: not today',
      details: { retryAfterSeconds: seconds },
    });
  expect(classifyFailure(denied(100_000), object)).toMatchObject({ kind: "retry", afterMs: 5_000 });
  expect(classifyFailure(denied(2), object)).toMatchObject({ kind: "retry", afterMs: 2_000 });
});

test("annotations that leave no room for the record make all wait; for an object it is a rejection", () => {
  const causes = [{ field: "metadata.annotations", message: "Too long: may not be more than 262144 bytes" }];
  const error = answered(422, { reason: "Invalid", message: "is invalid: metadata.annotations: Too long", details: { causes } });
  expect(classifyFailure(error, null)).toMatchObject({ kind: "wait", reason: null, message: expect.stringContaining("leave no room") });
  expect(classifyFailure(error, object)).toMatchObject({ kind: "rejected", reason: "Invalid" });
  expect(classifyFailure(answered(422, { reason: "Invalid", message: "no" }), null)).toEqual({ kind: "stop", message: "no" });
});

test("an answer that is too large is the object's rejection, and stops a list", () => {
  const error = answerTooLarge(request, 32 * 1024 * 1024);
  expect(classifyFailure(error, object)).toEqual({ kind: "rejected", reason: "TooLarge", message: error.message });
  expect(classifyFailure(error, null)).toEqual({ kind: "stop", message: error.message });
});

test("an error that is not a cluster answer, such as a bug, stops the run with its message", () => {
  expect(classifyFailure(new TypeError("x is not a function"), object)).toEqual({ kind: "stop", message: "x is not a function" });
  expect(classifyFailure("text", null)).toEqual({ kind: "stop", message: "text" });
});

test.each(["NestedTooDeep", "TooManyValues"] as const)(
  "%s of an object is its own rejection; of anything else, it ends the run",
  (reason) => {
    const error = new UnreadableJson(reason);
    expect(classifyFailure(error, object)).toEqual({ kind: "rejected", reason, message: error.message });
    expect(UNREADABLE).toContain(reason);
    expect(classifyFailure(error, null)).toMatchObject({ kind: "stop" });
  },
);
