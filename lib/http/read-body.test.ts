import { ReadableStream } from "node:stream/web";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readBody } from "./read-body.ts";

const url = "http://localhost/api/clusters";
const post = (body: string) => new Request(url, { method: "POST", body });

describe("a request body", () => {
  const chunked = (chunks: Iterable<Uint8Array>) =>
    new Request(url, { method: "POST", body: ReadableStream.from(chunks), duplex: "half" } as RequestInit);
  const schema = z.strictObject({ confirm: z.string().optional(), count: z.int().optional() });
  const problem = (body: string) => readBody(post(body), schema).catch((error: unknown) => error);

  test("is parsed by the schema, and an empty one counts as {}", async () => {
    expect(await readBody(post('{"confirm":"a"}'), schema)).toEqual({ confirm: "a" });
    expect(await readBody(post(""), schema)).toEqual({});
  });

  test.each(["{", "confirm=a", "{'confirm':'a'}"])("that isn't JSON is refused: %s", async (body) => {
    expect(await problem(body)).toMatchObject({ name: "AppError", code: "invalid_input", message: "The body is not JSON." });
  });

  test.each([
    ['{"count":"many"}', /count: /],
    ['{"confirm":1,"count":1.5}', /confirm: .*; count: /],
    ['{"other":1}', /other/],
    ["[]", /expected object/],
    ["null", /expected object/],
  ])("that doesn't match the schema is refused with every problem named: %s", async (body, message) => {
    expect(await problem(body)).toMatchObject({ code: "invalid_input", message: expect.stringMatching(message) });
  });

  test("is accepted up to 1 MiB and refused above", async () => {
    const of = (length: number) => `{"confirm":"${"x".repeat(length - 14)}"}`;
    expect(await problem(of(1024 * 1024 + 1))).toMatchObject({ code: "too_large" });
    expect(await problem(of(1024 * 1024))).toHaveProperty("confirm");
  });

  test("is accepted up to the route's own limit", async () => {
    const body = (length: number) => post(`{"confirm":"${"x".repeat(length - 14)}"}`);
    await expect(readBody(body(16 * 1024 + 1), schema, 16)).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringContaining("16 KiB"),
    });
    expect(await readBody(body(16 * 1024), schema, 16)).toHaveProperty("confirm");
  });

  test("is measured in bytes, not in characters", async () => {
    expect(await problem(`{"confirm":"${"ä".repeat(600_000)}"}`)).toMatchObject({ code: "too_large" });
  });

  test("that arrives in chunks keeps characters that span two of them", async () => {
    const bytes = new TextEncoder().encode('{"confirm":"ä€😀"}');
    expect(await readBody(chunked([...bytes].map((byte) => Uint8Array.of(byte))), schema)).toEqual({ confirm: "ä€😀" });
  });

  test("without a stated length is refused as soon as it exceeds the limit", async () => {
    let given = 0;
    const endless = (function* () {
      for (; given < 1_000; given += 1) yield new Uint8Array(64 * 1024).fill(32);
    })();
    await expect(readBody(chunked(endless), schema)).rejects.toMatchObject({ code: "too_large" });
    expect(given).toBeLessThan(32);
  });
});
