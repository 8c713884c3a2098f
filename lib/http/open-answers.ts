import { processWide } from "#lib/process-wide/process-wide.ts";
import { REQUEST_ID_HEADER } from "./server-headers.ts";

/** By the request's id, which the server sets: what ends the connection of an answer that is under way. */
function openAnswers(): Map<string, () => void> {
  return processWide("open-answers", () => new Map());
}

/** Notes how to end an answer's connection, until the returned function is called. */
export function noteOpenAnswer(requestId: string, end: () => void): () => void {
  openAnswers().set(requestId, end);
  return () => void openAnswers().delete(requestId);
}

/**
 * Ends the connection of an answer that nobody reads. An error in its stream isn't enough: Next waits for what has been written before, and
 * so keeps the connection, and all that hangs on it, for as long as the reader likes.
 */
export function endAnswer({ headers }: Pick<Request, "headers">): void {
  openAnswers().get(headers.get(REQUEST_ID_HEADER) ?? "")?.();
}
