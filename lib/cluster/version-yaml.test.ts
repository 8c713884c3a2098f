import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { exactText, parseExactJson } from "#lib/domain/exact-json.ts";
import { isVersionSpec, type VersionSpec } from "#lib/domain/version-spec.ts";
import { removedSpecOf, removedVersionOf, removedVersionText } from "./removed-version.ts";
import { versionSpecFromYaml, versionYaml } from "./version-yaml.ts";

const spec = specOf(
  '{"name":"v1beta1","served":false,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","description":"a: b # \\"c\\"\\n- d","properties":' +
    '{"size":{"type":"integer","maximum":9223372036854775807,"default":9007199254740993},"on":{"type":"string","default":"yes"},"ratio":{"type":"number","default":0.5}}}}}',
);
const removed = { version: "v1beta1", removedAt: "2026-01-02T12:00:00.000Z", by: "alice" };

describe("a version as YAML", () => {
  test("comes back as it was, with whole numbers of any size and words that YAML takes for others", () => {
    const yaml = versionYaml(spec);
    expect(yaml).toContain("maximum: 9223372036854775807");
    expect(exactText(versionSpecFromYaml(yaml, "v1beta1"))).toBe(exactText(spec));
  });

  test.each([
    ["name: [", "at line 1"],
    ["- a list", "not one entry of spec.versions"],
    ["name: v1beta1", "not one entry of spec.versions"],
    ["name: v2\nschema: {}", "It is v2, not v1beta1"],
    [
      `a: &a [x, x]\n${["b", "c", "d", "e", "f", "g", "h"].map((key, index) => `${key}: &${key} [${Array(9).fill(`*${"abcdefg"[index]}`)}]`).join("\n")}`,
      "alias",
    ],
  ])("is refused when it is %j", (yaml, words) => {
    expect(() => versionSpecFromYaml(yaml, "v1beta1")).toThrow(words);
  });
});

describe("the annotation of a removed version", () => {
  test("keeps it exactly, and who removed it", () => {
    const text = removedVersionText(removed, spec) ?? undefined;
    expect(removedVersionOf(text)).toEqual(removed);
    expect(exactText(removedSpecOf(text, "v1beta1") ?? {})).toBe(exactText(spec));
    expect(removedSpecOf(text, "v1")).toBeNull();
  });

  test("is not written when it would be too large", () => {
    const noise = Array.from({ length: 20_000 }, (_, index) => Math.sin(index).toString(36)).join("");
    expect(removedVersionText(removed, { ...spec, noise })).toBeNull();
  });

  test.each([
    ["nothing", undefined],
    ["no JSON", "{"],
    ["no gzip", JSON.stringify({ ...removed, gzip: "aGVsbG8=" })],
    ["another version's", JSON.stringify({ ...removed, gzip: gzipSync('{"name":"v1","schema":{}}').toString("base64") })],
    ["a bomb", JSON.stringify({ ...removed, gzip: gzipSync(" ".repeat(9 * 1024 * 1024)).toString("base64") })],
  ])("gives nothing back when it is %s", (_, text) => {
    expect(removedSpecOf(text, "v1beta1")).toBeNull();
  });
});

function specOf(json: string): VersionSpec {
  const parsed = parseExactJson(json);
  if (!isVersionSpec(parsed)) throw new Error("The test's version is none.");
  return parsed;
}
