import { describe, expect, test } from "vitest";
import { exactText, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { isVersionSpec, type VersionSpec } from "#lib/domain/versions/version-change.ts";
import { versionSpecFromYaml, versionYaml } from "./version-yaml.ts";

const spec = specOf(
  '{"name":"v1beta1","served":false,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","description":"a: b # \\"c\\"\\n- d","properties":' +
    '{"size":{"type":"integer","maximum":9223372036854775807,"default":9007199254740993},"on":{"type":"string","default":"yes"},"ratio":{"type":"number","default":0.5}}}}}',
);

describe("a version as YAML", () => {
  test("comes back as it was, with whole numbers of any size and words that YAML takes for others", () => {
    const yaml = versionYaml(spec);
    expect(yaml).toContain("maximum: 9223372036854775807");
    expect(exactText(versionSpecFromYaml(yaml, "v1beta1"))).toBe(exactText(spec));
  });

  test("may be nested as deep as any definition is", () => {
    const yaml = `name: v1beta1\nschema: ${"[".repeat(199)}${"]".repeat(199)}`;
    expect(versionSpecFromYaml(yaml, "v1beta1").name).toBe("v1beta1");
  });

  test.each([
    ["name: [", "at line 1"],
    ["- a list", "not a single spec.versions entry"],
    ["name: v1beta1", "not a single spec.versions entry"],
    ["name: v2\nschema: {}", "It is v2, not v1beta1"],
    [
      `a: &a [x, x]\n${["b", "c", "d", "e", "f", "g", "h"].map((key, index) => `${key}: &${key} [${Array(9).fill(`*${"abcdefg"[index]}`)}]`).join("\n")}`,
      "alias",
    ],
    ["&a\nname: v1beta1\nserved: false\nstorage: false\nschema: *a", "more than 200 levels deep, or an alias refers to itself"],
  ])("is refused when it is %j", (yaml, words) => {
    expect(() => versionSpecFromYaml(yaml, "v1beta1")).toThrow(words);
  });

  test.each([
    ["one level more than may be", `name: v1beta1\nschema: ${"[".repeat(200)}${"]".repeat(200)}`],
    ["more than the stack can take", `${"[".repeat(20_000)}${"]".repeat(20_000)}`],
    ["as many lists in lists", `${"- ".repeat(20_000)}x`],
  ])("is refused when it is nested: %s", (_, yaml) => {
    expect(() => versionSpecFromYaml(yaml, "v1beta1")).toThrow("The YAML can't be used: It is nested more than 200 levels deep");
  });
});

function specOf(json: string): VersionSpec {
  const parsed = parseExactJson(json);
  if (!isVersionSpec(parsed)) throw new Error("The test's version is none.");
  return parsed;
}
