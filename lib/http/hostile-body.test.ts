import { describe, expect, test } from "vitest";
import { restoreSchema } from "#lib/contract/definition/crd.ts";
import { editCheckBodySchema } from "#lib/contract/definition/edit-check.ts";
import { versionChangeSchema } from "#lib/contract/definition/version-change.ts";
import { startRewriteSchema } from "#lib/contract/rewrite/run.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { readBody } from "./signed-in-route.ts";

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
  const versions = [`"${",".repeat(500_000)}`];
  expect(await readBody(bodyOf(JSON.stringify({ versions })), restoreSchema)).toEqual({ versions });
});
