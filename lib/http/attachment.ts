import { streamedAnswer } from "./until-read.ts";

/**
 * An answer that the browser saves as a file, sent as its pieces arrive and no faster than it is read.
 * @throws what `begin` throws before the first piece; what it throws later breaks the answer off.
 */
export async function attachment(
  request: Pick<Request, "signal">,
  { name, type }: { name: string; type: string },
  begin: (signal: AbortSignal) => AsyncGenerator<Uint8Array>,
): Promise<Response> {
  const leaving = new AbortController();
  const pieces = begin(AbortSignal.any([request.signal, leaving.signal]));
  let next: IteratorResult<Uint8Array> | null = await pieces.next();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = next ?? (await pieces.next());
      next = null;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => leaving.abort(new Error("the reader left")),
  });
  // The one form in which any character may stand: https://www.rfc-editor.org/rfc/rfc8187
  const fileName = encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  return streamedAnswer(body, {
    ...{ "content-type": type, "cache-control": "no-store, no-transform" },
    "content-disposition": `attachment; filename*=UTF-8''${fileName}`,
  });
}
