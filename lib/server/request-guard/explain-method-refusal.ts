import type { IncomingMessage, ServerResponse } from "node:http";
import type { ErrorBody } from "#lib/contract/error.ts";

const body: ErrorBody = {
  error: {
    code: "request_refused",
    message: "This path doesn't support that method.",
    nextStep: "docs/http-api.md lists the HTTP surface with its methods.",
  },
};

/** Below /api, Next answers an unsupported method with an empty 405; this adds the body that every error has. */
export function explainMethodRefusal(request: IncomingMessage, response: ServerResponse): void {
  if (!request.url?.startsWith("/api/")) return;
  const text = JSON.stringify(body);
  const headers = { "content-type": "application/json", "cache-control": "no-store", "content-length": Buffer.byteLength(text) };
  const end = response.end.bind(response);
  const writeHead = response.writeHead.bind(response);
  response.writeHead = (...head: unknown[]) =>
    (head[0] ?? response.statusCode) === 405 ? writeHead(405, headers) : Reflect.apply(writeHead, response, head);
  response.end = (...rest: unknown[]) => (response.statusCode === 405 ? end(text) : Reflect.apply(end, response, rest));
}
