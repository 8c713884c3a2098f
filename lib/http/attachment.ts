import { AppError } from "#lib/contract/app-error.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { countOpen, type Most, type Open } from "./count-open.ts";
import { endAnswer } from "./open-answers.ts";
import type { RequestOwner } from "./signed-in-route.ts";
import { streamedAnswer } from "./until-read.ts";

/** Each holds a socket to the cluster, and what has arrived. Readers who share crdshift's own credentials are many people. */
const MOST: Most = { ofPerson: 8, shared: 8 };
/** A reader who takes no piece for so long has forgotten the file. */
const UNREAD_FOR_MS = 5 * 60_000;

/**
 * An answer that the browser saves as a file, sent as its pieces arrive and no faster than it is read. It breaks off if nobody reads it for
 * five minutes.
 * @throws what `begin` throws before the first piece; what it throws later breaks the answer off. AppError too_many_requests beyond 8 of one
 * person; the signal's reason if the request has ended.
 */
export async function attachment(
  request: Pick<Request, "signal" | "headers">,
  owner: RequestOwner,
  { name, type }: { name: string; type: string },
  begin: (signal: AbortSignal) => AsyncGenerator<Uint8Array>,
): Promise<Response> {
  request.signal.throwIfAborted();
  const leaving = new AbortController();
  const left = AbortSignal.any([request.signal, leaving.signal]);
  const release = countOpen(downloads(), owner, MOST, tooMany);
  let unread: NodeJS.Timeout | undefined;
  const end = () => {
    clearTimeout(unread);
    release();
  };
  left.addEventListener("abort", end, { once: true });
  const leave = (why: string) => leaving.abort(new Error(why));
  const pieces = begin(left);
  const nextPiece = async () => {
    try {
      return await pieces.next();
    } catch (error) {
      leave("it failed");
      throw error;
    }
  };
  let next: IteratorResult<Uint8Array> | null = await nextPiece();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      clearTimeout(unread);
      const { done, value } = next ?? (await nextPiece());
      next = null;
      if (done) {
        leave("it is complete");
        return controller.close();
      }
      controller.enqueue(value);
      if (left.aborted) return;
      unread = setTimeout(() => {
        controller.error(new Error("Nobody has read this file for 5 minutes."));
        endAnswer(request);
        leave("the reader asks for no more");
      }, UNREAD_FOR_MS);
    },
    cancel: () => leave("the reader left"),
  });
  // The one form in which any character may stand: https://www.rfc-editor.org/rfc/rfc8187
  const fileName = encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  return streamedAnswer(body, {
    ...{ "content-type": type, "cache-control": "no-store, no-transform" },
    "content-disposition": `attachment; filename*=UTF-8''${fileName}`,
  });
}

function downloads(): { open: Open } {
  return processWide("downloads", () => ({ open: new Map() }));
}

function tooMany(most: number): AppError {
  return new AppError("too_many_requests", `${most} of your downloads are under way, which is the limit.`, {
    nextStep: "Wait until one ends, or cancel one, then try again.",
  });
}
