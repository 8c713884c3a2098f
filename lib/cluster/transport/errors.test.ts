import { describe, expect, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { clusterAnswer } from "./cluster-answer.ts";
import { isConversionFailure, isConversionRefusal } from "./conversion-failures.ts";
import { statusError, transportError } from "./errors.ts";
import { isAdmissionDenial } from "./refused-writes.ts";

const request = { method: "PATCH", path: "/apis/example.com/v1/crontabs?limit=1" };
const answered = (status: number, body: string | object, headers: Record<string, string> = {}) =>
  statusError(status, headers, typeof body === "string" ? body : JSON.stringify({ kind: "Status", ...body }), request);

describe("a status becomes a code of the contract", () => {
  test.each([
    [400, { reason: "BadRequest" }, "cluster_rejected"],
    [401, { reason: "Unauthorized" }, "unauthenticated"],
    [403, { reason: "Forbidden" }, "forbidden"],
    [404, { reason: "NotFound" }, "not_found"],
    [404, "404 page not found", "not_found"],
    [408, {}, "cluster_timeout"],
    [409, { reason: "Conflict" }, "conflict"],
    [410, { reason: "Expired" }, "cluster_rejected"],
    [422, { reason: "Invalid" }, "cluster_rejected"],
    [429, { reason: "TooManyRequests" }, "cluster_unreachable"],
    [500, { reason: "InternalError" }, "cluster_rejected"],
    [500, "<html>", "cluster_unreachable"],
    [502, "Bad Gateway", "cluster_unreachable"],
    [503, { reason: "ServiceUnavailable" }, "cluster_unreachable"],
    [504, { reason: "Timeout" }, "cluster_timeout"],
  ])("%d with %j is %s, with what to do", (status, body, code) => {
    expect(answered(status, body)).toMatchObject({ name: "AppError", code, nextStep: expect.stringMatching(/\w/) });
  });

  test("the cluster's own words stay with it, and the request is named without its query", () => {
    const error = answered(403, { reason: "Forbidden", message: 'crontabs is forbidden: User "bob" cannot patch' });
    expect(error.clusterMessage).toBe('crontabs is forbidden: User "bob" cannot patch');
    expect(error.message).toBe("The cluster denied PATCH /apis/example.com/v1/crontabs.");
  });

  test("none of those words turn the text that follows", () => {
    expect(answered(403, { reason: "Forbidden", message: "\u202edenied" }).clusterMessage).toBe("\uFFFDdenied");
    expect(answered(502, "\u2067gateway").clusterMessage).toBe("\uFFFDgateway");
  });

  test("a 401 of an admission webhook is its denial, not a word about the credentials", () => {
    const message = 'admission webhook "vault.example.com" denied the request: the vault says no';
    const error = answered(401, { reason: "Unauthorized", message });
    expect(error).toMatchObject({ code: "cluster_rejected", message: expect.not.stringContaining("credentials") });
    expect(error.nextStep).not.toContain("Sign in");
  });

  test("a long message is cut, and still says what it is about", () => {
    const denied = answered(500, { message: `admission webhook "long.example.com" denied the request: ${"no ".repeat(100_000)}` });
    const answer = clusterAnswer(denied);
    expect(answer?.message).toHaveLength(4_097);
    expect(answer && isAdmissionDenial(answer)).toBe(true);
    const failed = answered(500, { message: `conversion webhook for example.com/v1, Kind=CronTab failed: ${"no ".repeat(100_000)}` });
    expect(isConversionRefusal(clusterAnswer(failed) ?? expect.fail())).toBe(true);
  });

  test("a body that is no Status is cut, not shown whole", () => {
    expect(answered(502, "x".repeat(10_000)).clusterMessage).toBe(`${"x".repeat(300)}…`);
    expect(answered(502, "").clusterMessage).toBe("HTTP 502");
  });
});

describe("what decides is kept beside the code", () => {
  test("the object that a Status names, and the token that goes on with an expired list", () => {
    const gone = answered(404, { reason: "NotFound", details: { name: "my-tab", kind: "crontabs" } });
    expect(clusterAnswer(gone)).toMatchObject({ status: 404, reason: "NotFound", name: "my-tab" });
    const expired = answered(410, { reason: "Expired", metadata: { continue: "abc" } });
    expect(clusterAnswer(expired)).toMatchObject({ status: 410, inconsistentContinue: "abc" });
    expect(clusterAnswer(answered(404, "404 page not found"))).toMatchObject({ reason: "", name: null, inconsistentContinue: null });
  });

  // A webhook chooses them, and each takes a schema's time.
  test("of thousands of causes, the first are read", () => {
    const causes = [...Array.from({ length: 5_000 }, (_, index) => ({ field: `spec.f${index}`, message: "no" })), "not a cause"];
    const answer = clusterAnswer(answered(422, { reason: "Invalid", details: { causes } }));
    expect(answer?.fields).toHaveLength(50);
    expect(answer?.fields[0]).toEqual({ field: "spec.f0", message: "no" });
    expect(clusterAnswer(answered(422, { reason: "Invalid", details: { causes: "none" } }))?.fields).toEqual([]);
  });

  test.each([
    [{ "retry-after": "7" }, {}, 7_000],
    [{}, { details: { retryAfterSeconds: 3 } }, 3_000],
    [{ "retry-after": "7" }, { details: { retryAfterSeconds: 3 } }, 7_000],
    [{}, {}, null],
    [{ "retry-after": "soon" }, {}, null],
    [{ "retry-after": "0" }, {}, null],
    [{ "retry-after": "100000" }, {}, 300_000],
    [{}, { details: { retryAfterSeconds: 1e300 } }, 300_000],
  ])("with headers %j and Status %j the wait is %s ms", (headers, status, retryAfterMs) => {
    expect(clusterAnswer(answered(429, status, headers as Record<string, string>))).toMatchObject({ retryAfterMs });
  });

  test("an error without an answer has none", () => {
    expect(clusterAnswer(new AppError("cluster_unreachable", "Away."))).toBeNull();
    expect(clusterAnswer(new Error("no"))).toBeNull();
  });
});

test.each([
  [500, "conversion webhook for example.com/v1beta1, Kind=CronTab failed: Post refused", true],
  [429, "storage is (re)initializing: conversion webhook for example.com/v1, Kind=CronTab failed", true],
  [500, "etcdserver: leader changed", false],
  [429, "Too many requests, please try again later.", false],
  [429, "storage is (re)initializing", false],
  [403, 'admission webhook "conversion for all" denied the request', false],
  [500, 'admission webhook "bank.example.com" denied the request: currency conversion for EUR is unavailable', false],
])("%d with %j is about conversion: %s", (status, message, expected) => {
  const answer = clusterAnswer(answered(status, { message }));
  expect(answer && isConversionFailure(answer)).toBe(expected);
});

describe("a webhook's refusal differs from a broken webhook", () => {
  test.each([
    ["failed: spec.size is not a number", true],
    ["failed: the serverless platform has no such size", true],
    ['failed: Post "https://webhook.default.svc:443/?timeout=30s": dial tcp 10.0.0.1:443: connect: connection refused', false],
    ['failed: Post "https://10.0.0.1/?timeout=30s": context deadline exceeded', false],
    ["failed: the server is currently unable to handle the request", false],
    ['failed: an error on the server ("out of memory") has prevented the request from succeeding', false],
    ["failed: couldn't get version/kind; json parse error: unexpected end of JSON input", false],
    ['failed: expected response.uid="a", got "b"', false],
    ["failed: response.result.status was 'Failed', not 'Success'", false],
    ["failed: no response provided", false],
    ["returned 0 objects, expected 1", false],
    ["returned invalid object: must have the same UID: a != b", false],
    ["returned invalid metadata in object at index 0: missing metadata in converted object", false],
  ])("%s: its own is %s", (words, expected) => {
    const answer = clusterAnswer(answered(500, { message: `conversion webhook for example.com/v1beta1, Kind=CronTab ${words}` }));
    expect(answer && isConversionRefusal(answer)).toBe(expected);
  });
});

test("a Status without a kind, as the API server's own time-out sends it, is read as one", () => {
  const body = JSON.stringify({ metadata: {}, status: "Failure", message: "Timeout: too slow", reason: "Timeout", code: 504 });
  expect(clusterAnswer(answered(504, body))).toMatchObject({ reason: "Timeout", message: "Timeout: too slow" });
  expect(clusterAnswer(answered(504, '{"message": "not a Status"}'))).toMatchObject({ reason: "" });
});

describe("what the network does", () => {
  const connection = { name: "kind-dev", server: "https://127.0.0.1:6443" } as Connection;
  const happened = (error: unknown, signal = new AbortController().signal) => transportError(error, connection, { ...request, signal });
  const withCode = (code: string) => Object.assign(new Error("it failed"), { code });

  test.each([
    ["UND_ERR_HEADERS_TIMEOUT", "cluster_timeout"],
    ["UND_ERR_BODY_TIMEOUT", "cluster_timeout"],
    ["UND_ERR_CONNECT_TIMEOUT", "cluster_unreachable"],
    ["ECONNREFUSED", "cluster_unreachable"],
    ["ECONNRESET", "cluster_unreachable"],
    ["ENOTFOUND", "cluster_unreachable"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "cluster_unreachable"],
  ])("%s is %s", (code, expected) => {
    expect(happened(withCode(code))).toMatchObject({ name: "AppError", code: expected });
  });

  test("names the code and a command that must work", () => {
    expect(happened(withCode("ECONNREFUSED"))).toMatchObject({
      clusterMessage: "ECONNREFUSED: it failed",
      nextStep: expect.stringContaining("kubectl --context kind-dev version"),
    });
  });

  test("a context's name can't break out of that command", () => {
    const named = { ...connection, name: "dev'; rm -rf ~; '" };
    const error = transportError(withCode("ECONNREFUSED"), named, { ...request, signal: new AbortController().signal });
    const command = String.raw`kubectl --context 'dev'\''; rm -rf ~; '\''' version`;
    expect(error).toMatchObject({ nextStep: expect.stringContaining(command) });
  });

  test("an abort stays the reason that it was aborted with", () => {
    const reason = new Error("cancelled");
    expect(happened(withCode("UND_ERR_ABORTED"), AbortSignal.abort(reason))).toBe(reason);
  });

  test("an error that has been translated stays as it is", () => {
    const error = new AppError("unauthenticated", "No.");
    expect(happened(error)).toBe(error);
  });
});
