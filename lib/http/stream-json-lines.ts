import { endOfReading } from "#lib/sign-in/confirm-token.ts";
import { errorAnswer, json } from "./signed-in-route.ts";

const LOOK_EVERY_MS = 15_000;

/**
 * Answers with a line of JSON for each step if the request accepts ndjson, otherwise with only the last step. An error after the first
 * line becomes the last line, as the contract's error body. The work ends when the reader disconnects, and fails with the reason from
 * `endOf` once they may no longer read.
 * @throws what `steps` throws before the first step, or at any time without ndjson.
 */
export async function streamJsonLines<Step>(
  request: Request,
  steps: (signal: AbortSignal) => AsyncGenerator<Step>,
  endOf: (request: Request) => Promise<unknown> = endOfReading,
): Promise<Response> {
  const leaving = new AbortController();
  const left = AbortSignal.any([request.signal, leaving.signal]);
  const generator = untilEnd(() => endOf(request), steps, left);
  // Without this, a generator that is no longer read would never end.
  left.addEventListener("abort", () => void generator.return(undefined).catch(() => {}), { once: true });
  if (!acceptsLines(request)) {
    let last: Step | undefined;
    for await (const step of generator) last = step;
    return json(last);
  }
  // If the reader has disconnected, there is no one to send the error to.
  const failure = (error: unknown) => (left.aborted ? null : errorAnswer(error, request).body);
  const lines = linesOf(await generator.next(), generator, failure);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(`${value}\n`));
    },
    cancel: () => leaving.abort(new Error("the reader left")),
  });
  return new Response(body, { headers: { "content-type": "application/x-ndjson", "cache-control": "no-store, no-transform" } });
}

/** The steps as lines; if they fail, the last line is the failure. */
async function* linesOf<Step>(
  first: IteratorResult<Step>,
  rest: AsyncGenerator<Step>,
  failure: (error: unknown) => unknown,
): AsyncGenerator<string> {
  try {
    for (let step = first; !step.done; step = await rest.next()) yield JSON.stringify(step.value);
  } catch (error) {
    yield JSON.stringify(failure(error));
  }
}

/** The steps, until `end` gives a reason; it is asked four times a minute. */
async function* untilEnd<Step>(
  end: () => Promise<unknown>,
  steps: (signal: AbortSignal) => AsyncGenerator<Step>,
  signal: AbortSignal,
): AsyncGenerator<Step> {
  const ending = new AbortController();
  const looking = setInterval(async () => {
    const reason = await end();
    if (reason === null) return;
    clearInterval(looking);
    ending.abort(reason);
  }, LOOK_EVERY_MS);
  try {
    yield* steps(AbortSignal.any([signal, ending.signal]));
  } finally {
    clearInterval(looking);
  }
}

/** Whether the request asks for lines of JSON. */
export function acceptsLines(request: Request): boolean {
  return request.headers.get("accept")?.includes("application/x-ndjson") ?? false;
}
