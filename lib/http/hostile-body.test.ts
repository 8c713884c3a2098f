import { describe, expect, test } from "vitest";
import { z } from "zod";
import { restoreSchema } from "#lib/contract/definition/crd.ts";
import { editCheckBodySchema } from "#lib/contract/definition/edit-check.ts";
import { versionChangeSchema } from "#lib/contract/definition/version-change.ts";
import { cleanManagedFieldsSchema } from "#lib/contract/objects/managed-fields.ts";
import { startRewriteSchema } from "#lib/contract/rewrite/run.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { readBody } from "./read-body.ts";

const MIB = 1024 * 1024;
const list = (item: string) =>
  `[${Array(Math.floor((MIB - 100) / (item.length + 1)))
    .fill(item)
    .join(",")}]`;
const bodyOf = (text: string) => new Request("http://localhost/", { method: "POST", body: text });

describe("a body of a megabyte holds nobody up", () => {
  // The schema made a sentence of each: half a million took a second and more.
  test.each([
    ["numbers for names", restoreSchema, `{"versions":${list("0")}}`],
    ["objects for names", restoreSchema, `{"versions":${list("{}")}}`],
    ["names", restoreSchema, `{"versions":${list('""')}}`],
    ["numbers for losses", versionChangeSchema, `{"acceptLosses":${list("0")}}`],
    ["numbers for losses of a run", startRewriteSchema, `{"acceptLosses":${list("0")}}`],
    ["unknown keys", editCheckBodySchema, `{${Array.from({ length: 80_000 }, (_, index) => `"k${index}":0`).join(",")}}`],
    ["list in list", editCheckBodySchema, `{"a":${"[".repeat(500_000)}${"]".repeat(500_000)}}`],
    ["no JSON", editCheckBodySchema, `{"a":${"[".repeat(1_000_000)}`],
  ])("with %s", async (_, schema, text) => {
    const { longest, result } = await whileWatched<unknown>(() => readBody<unknown>(bodyOf(text), schema).catch((error: unknown) => error));
    expect(longest).toBeLessThan(LONGEST_TURN);
    expect(result).toMatchObject({ code: expect.stringMatching(/^(invalid_input|too_large)$/) });
    expect(String((result as Error).message).length).toBeLessThan(2_000);
  });
});

test("a body with one long text is read, whatever the text holds", async () => {
  const reason = `"${",".repeat(500_000)}`;
  expect(await readBody(bodyOf(JSON.stringify({ reason })), z.strictObject({ reason: z.string() }))).toEqual({ reason });
});

// Each name is looked up among a definition's versions: 10,000 of 9,000 took 90 s (contract/objects/managed-fields.ts).
test("versions are taken once each, and only as many as a definition may have", async () => {
  const read = (versions: readonly string[], schema: typeof restoreSchema | typeof cleanManagedFieldsSchema = restoreSchema) =>
    readBody<{ versions: string[] }>(bodyOf(JSON.stringify({ versions })), schema);
  const many = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);
  expect((await read(["v1", "v2", "v1"])).versions).toEqual(["v1", "v2"]);
  for (const versions of [many(501), [`v${"1".repeat(63)}`], []])
    await expect(read(versions)).rejects.toMatchObject({ code: "invalid_input" });
  expect((await read(["v1", "v1"], cleanManagedFieldsSchema)).versions).toEqual(["v1"]);
  await expect(read(many(51), cleanManagedFieldsSchema)).rejects.toMatchObject({ code: "invalid_input" });
});
