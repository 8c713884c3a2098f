import { json } from "./handle.ts";

/** A growing answer: a line of JSON for each step to those who accept ndjson, else the last step alone. */
export async function growing<Step>(request: Request, steps: (signal: AbortSignal) => AsyncGenerator<Step>): Promise<Response> {
  if (!acceptsLines(request)) {
    let last: Step | undefined;
    for await (const step of steps(request.signal)) last = step;
    return json(last);
  }
  const encoder = new TextEncoder();
  const stop = new AbortController();
  const generator = steps(AbortSignal.any([request.signal, stop.signal]));
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await generator.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
    },
    cancel: () => stop.abort(new Error("the reader left")),
  });
  return new Response(body, { headers: { "content-type": "application/x-ndjson", "cache-control": "no-store, no-transform" } });
}

/** Whether the request asks for lines of JSON. */
export function acceptsLines(request: Request): boolean {
  return request.headers.get("accept")?.includes("application/x-ndjson") ?? false;
}
