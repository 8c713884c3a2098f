import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test, vi } from "vitest";
import { logFailedAnswer } from "./log-failed-answer.ts";

function logged(status: number, type?: string): unknown[] {
  const log = vi.spyOn(console, "error").mockReturnValue();
  const request = Object.assign(new IncomingMessage(new Socket()), { method: "GET", url: "/clusters/a?secret=b" });
  const response = new ServerResponse(request);
  response.statusCode = status;
  if (type) response.setHeader("content-type", type);
  logFailedAnswer(request, response, "an-id");
  const lines = log.mock.calls.map(([line]) => JSON.parse(line));
  log.mockRestore();
  return lines;
}

// Without logFailedAnswer (log-failed-answer.ts) no line says that pages are answered with 500: Next is quiet.
test("an answer of 500 is in the log, unless a route gave it", () => {
  const line = { level: "error", requestId: "an-id", method: "GET", path: "/clusters/a", message: "Next could not answer." };
  expect(logged(500)).toEqual([expect.objectContaining(line)]);
  expect(logged(500, "text/html; charset=utf-8")).toEqual([expect.objectContaining(line)]);
  expect(logged(500, "application/json")).toEqual([]);
  expect(logged(502)).toEqual([]);
  expect(logged(200, "text/html")).toEqual([]);
});
