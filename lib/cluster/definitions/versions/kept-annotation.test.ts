import { gunzipSync, gzipSync } from "node:zlib";
import { beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { keptAnnotation } from "./kept-annotation.ts";

vi.mock("node:zlib", async (load) => {
  const zlib = await load<typeof import("node:zlib")>();
  return { ...zlib, gunzipSync: vi.fn(zlib.gunzipSync) };
});

const MIB = 1024 * 1024;
const reader = () => keptAnnotation(z.object({ gzip: z.string() }), (_, part) => part, 4 * MIB);
const good = { gzip: gzipSync('"good"').toString("base64") };

/** Whose last bytes, a checksum and the length, tell another content: zlib notices after it has unpacked everything. */
function broken(length: number): { gzip: string } {
  const bytes = gzipSync(" ".repeat(length));
  bytes.fill(0xff, bytes.length - 8);
  return { gzip: bytes.toString("base64") };
}
const read = (...entries: { gzip: string }[]) => reader()(JSON.stringify(entries)).map(({ about }) => about);

beforeEach(() => void vi.mocked(gunzipSync).mockClear());

test("parts that turn out broken once they are unpacked count as read", () => {
  expect(read(...Array.from({ length: 40 }, () => broken(MIB)), good)).toEqual([]);
  expect(vi.mocked(gunzipSync).mock.calls.length).toBeLessThanOrEqual(4);
});

test("a small one takes none of the others along", () => {
  expect(read(broken(100), good, { gzip: "aGVsbG8=" }, good)).toEqual(["good", "good"]);
});

test("an annotation is unpacked once, also if nothing in it can be", () => {
  const again = reader();
  const text = JSON.stringify([broken(MIB)]);
  for (let count = 0; count < 3; count += 1) expect(again(text)).toEqual([]);
  expect(gunzipSync).toHaveBeenCalledTimes(1);
});
