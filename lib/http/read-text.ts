import { AppError } from "#lib/contract/app-error.ts";

const BODY_MAX_BYTES = 1024 * 1024;

/**
 * The request's body as text. Its length is counted while it is read: a chunked one says nothing of it beforehand.
 * @throws AppError too_large as soon as it exceeds a mebibyte; the rest is not read.
 */
export async function readText(request: Request): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > BODY_MAX_BYTES) throw new AppError("too_large", "The body is larger than 1 MiB.", { nextStep: "Send less." });
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
