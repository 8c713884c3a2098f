import { jsonPieces } from "./json-pieces.ts";

/** A JSON answer that must not be cached. A long list in it is made only while the answer is read. */
export function json(body: unknown, status = 200): Response {
  const pieces = longPieces(jsonPieces(body));
  const first = pieces.next().value ?? "";
  const encoder = new TextEncoder();
  const rest = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(first)),
    pull: (controller) => {
      const { done, value } = pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
  const isWhole = first.length < PIECE_LENGTH;
  return new Response(isWhole ? first : rest, { status, headers: { "cache-control": "no-store", "content-type": "application/json" } });
}

const PIECE_LENGTH = 64 * 1024;

/** The same text in pieces of that length or more, but for the last. */
function* longPieces(pieces: Iterable<string>): Generator<string, undefined> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < PIECE_LENGTH) continue;
    yield text;
    text = "";
  }
  yield text;
}

/** The answer `{}` with Set-Cookie headers. */
export function withCookies(cookies: readonly string[]): Response {
  const response = json({});
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}
