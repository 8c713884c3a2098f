import { expect, test } from "vitest";
import { apiError } from "./api-client.ts";

test("an API error has the message and reason of the Status object", () => {
  const status = JSON.stringify({ kind: "Status", message: 'crontabs "a" not found', reason: "NotFound", code: 404 });
  const error = apiError("GET", "/apis/x", 404, status);
  expect(error).toMatchObject({ status: 404, reason: "NotFound", message: 'GET /apis/x: 404 crontabs "a" not found' });
});

test("an API error quotes an answer that is plain text", () => {
  const error = apiError("GET", "/nope", 404, "404 page not found\n");
  expect(error).toMatchObject({ status: 404, reason: "", message: "GET /nope: 404 404 page not found" });
});
