import { describe, expect, test } from "vitest";
import { exactText, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { isVersionSpec, type VersionSpec } from "#lib/domain/versions/version-spec.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { versionSpecFromYaml, versionYaml } from "./version-yaml.ts";
import { runYamlJob } from "./yaml-worker.ts";

const soon = () => AbortSignal.timeout(60_000);

const spec = specOf(
  '{"name":"v1beta1","served":false,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","description":"a: b # \\"c\\"\\n- d","properties":' +
    '{"size":{"type":"integer","maximum":9223372036854775807,"default":9007199254740993},"on":{"type":"string","default":"yes"},"ratio":{"type":"number","default":0.5}}}}}',
);

describe("a version as YAML", () => {
  test("comes back as it was, with whole numbers of any size and words that YAML takes for others", async () => {
    const yaml = await versionYaml("alice", spec, soon());
    expect(yaml).toContain("maximum: 9223372036854775807");
    expect(exactText(await versionSpecFromYaml("alice", yaml, "v1beta1", soon()))).toBe(exactText(spec));
  });

  // Each was a token with an error of its own: two workers of 256 MiB at once.
  test.each(["]", "}", '"', "'", ": "])("is refused when it is a megabyte of %j, before a worker reads it", async (token) => {
    const reading = versionSpecFromYaml("alice", token.repeat(1_000_000 / token.length), "v1", soon());
    await expect(reading).rejects.toMatchObject({ code: "invalid_input", message: expect.stringContaining("lines and items") });
  });

  test("may be nested as deep as any definition is", async () => {
    const yaml = `name: v1beta1\nschema: ${"[".repeat(199)}${"]".repeat(199)}`;
    expect((await versionSpecFromYaml("alice", yaml, "v1beta1", soon())).name).toBe("v1beta1");
  });

  test.each([
    ["name: [", "at line 1"],
    ["- a list", "not a single spec.versions entry"],
    ["name: v1beta1", "not a single spec.versions entry"],
    ["name: v2\nschema: {}", "It is v2, not v1beta1"],
    ["name: v1beta1\nschema: {}\nschema: {}", "The key schema appears twice at line 3."],
    ["name: v1beta1\n? [a]\n: 1", "A key at line 1 is not a plain word."],
  ])("is refused when it is %j", (yaml, words) => {
    expect(runYamlJob({ kind: "read", yaml, version: "v1beta1" })).toEqual({ problem: expect.stringContaining(words) });
  });

  test.each([
    ["one level more than may be", `name: v1beta1\nschema: ${"[".repeat(200)}${"]".repeat(200)}`],
    ["more than the stack can take", `${"[".repeat(20_000)}${"]".repeat(20_000)}`],
    ["as many lists in lists", `${"- ".repeat(20_000)}x`],
  ])("is refused when it is nested: %s", (_, yaml) => {
    const problem = expect.stringContaining("It is nested more than 200 levels deep");
    expect(runYamlJob({ kind: "read", yaml, version: "v1beta1" })).toEqual({ problem });
  });

  // 90 of these made a patch of 89 MB out of one megabyte, which this process then parsed in one turn.
  test.each(["served: *a", "<<: *a", "schema: {x: [*a]}"])("with aliases is refused: %s", (line) => {
    const problem = "It has an alias, *a, at line 3. Write out what it stands for.";
    expect(runYamlJob({ kind: "read", yaml: `name: v1beta1\nkept: &a {}\n${line}`, version: "v1beta1" })).toEqual({ problem });
  });

  // Pretty errors copied their line for each, so a megabyte of them took minutes.
  test.each(["!a ", "*a ", '"" '])("with as many errors as words is refused without a copy of its line: %j", (word) => {
    const problem = expect.stringMatching(/^[^\n]+, at line 1\.$/);
    expect(runYamlJob({ kind: "read", yaml: word.repeat(20_000), version: "v1" })).toEqual({ problem });
  });

  // Its unique keys compared each with all others, on the event loop: a megabyte took minutes, and nobody got an answer.
  test("with more fields than any definition has is refused in a time that grows with its length, while others get their answers", async () => {
    const yaml = Array.from({ length: 51_000 }, (_, index) => `k${index}: 1`).join("\n");
    const refused = { code: "invalid_input", message: expect.stringContaining("It has more than 50,000 fields and items.") };
    const { longest } = await whileWatched(() => expect(versionSpecFromYaml("alice", yaml, "v1", soon())).rejects.toMatchObject(refused));
    expect(longest).toBeLessThan(LONGEST_TURN);
  });
});

function specOf(json: string): VersionSpec {
  const parsed = parseExactJson(json);
  if (!isVersionSpec(parsed)) throw new Error("The test's version is none.");
  return parsed;
}
