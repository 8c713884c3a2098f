import { expect, test } from "vitest";
import { attachment } from "./attachment.ts";

const request = { signal: new AbortController().signal };
const file = { name: "a.json", type: "application/json" };

async function* pieces(texts: string[], failure?: Error) {
  for (const text of texts) yield new TextEncoder().encode(text);
  if (failure) throw failure;
}

test("is the pieces in order, to be saved under a name that can't end the header", async () => {
  const odd = await attachment(request, { ...file, name: `a"b\r\nset-cookie: c='ü(*)` }, () => pieces(["a", "b"]));
  expect(await odd.text()).toBe("ab");
  expect(odd.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''a%22b%0D%0Aset-cookie%3A%20c%3D%27%C3%BC%28%2a%29");
  expect(odd.headers.get("cache-control")).toContain("no-store");
});

test("fails as a whole before the first piece, and breaks off after it", async () => {
  await expect(attachment(request, file, () => pieces([], new Error("gone")))).rejects.toThrow("gone");
  const broken = await attachment(request, file, () => pieces(["a"], new Error("cut")));
  await expect(broken.text()).rejects.toThrow("cut");
});

test("an empty one ends", async () => {
  expect(await (await attachment(request, file, () => pieces([]))).text()).toBe("");
});

test("is read no faster than it is taken, and ends when the reader leaves", async () => {
  let taken = 0;
  let told: AbortSignal | undefined;
  const endless = async function* (signal: AbortSignal) {
    told = signal;
    for (;;) {
      taken += 1;
      yield new Uint8Array(1);
    }
  };
  const { body } = await attachment(request, file, endless);
  const reader = body?.getReader();
  await reader?.read();
  expect(taken).toBeLessThan(4);
  await reader?.cancel();
  expect(told?.aborted).toBe(true);
});
