import { expect, test } from "vitest";
import { apiError } from "./api-error.ts";

test("takes message and reason from a Status object", () => {
  const status = JSON.stringify({ kind: "Status", message: 'crontabs "a" not found', reason: "NotFound", code: 404 });
  const error = apiError("GET", "/apis/x", 404, status);
  expect(error).toMatchObject({ status: 404, reason: "NotFound", message: 'GET /apis/x: 404 crontabs "a" not found' });
});

test("keeps a plain text answer", () => {
  const error = apiError("GET", "/nope", 404, "404 page not found\n");
  expect(error).toMatchObject({ status: 404, reason: "", message: "GET /nope: 404 404 page not found" });
});
