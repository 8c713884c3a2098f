import { expect, test } from "vitest";
import { growing } from "./ndjson.ts";

const url = "http://localhost/api/counts";
const asking = (accept: string) => new Request(url, { headers: { accept } });

async function* threeSteps() {
  yield { scanned: 1 };
  yield { scanned: 2 };
  yield { scanned: 3 };
}

test("is one JSON answer, the last step, for those who don't ask for lines", async () => {
  const response = await growing(asking("application/json"), threeSteps);
  expect(response.headers.get("content-type")).toContain("application/json");
  expect(await response.json()).toEqual({ scanned: 3 });
});

test("is a line for each step for those who do", async () => {
  const response = await growing(asking("application/x-ndjson, application/json;q=0.5"), threeSteps);
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  expect(response.headers.get("cache-control")).toContain("no-transform");
  expect(await response.text()).toBe('{"scanned":1}\n{"scanned":2}\n{"scanned":3}\n');
});

test("asks for the next step only as fast as it is read", async () => {
  let made = 0;
  const endless = async function* () {
    for (;;) yield ++made;
  };
  const response = await growing(asking("application/x-ndjson"), endless);
  const reader = response.body?.getReader();
  await reader?.read();
  await new Promise(setImmediate);
  expect(made).toBeLessThanOrEqual(3);
  await reader?.cancel();
});

test("stops the work when the reader leaves", async () => {
  const stopped = Promise.withResolvers<void>();
  const endless = async function* (signal: AbortSignal) {
    signal.addEventListener("abort", () => stopped.resolve());
    for (let scanned = 0; ; scanned++) {
      signal.throwIfAborted();
      yield { scanned };
    }
  };
  const response = await growing(asking("application/x-ndjson"), endless);
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await stopped.promise;
});
