import { describe, expect, test } from "vitest";
import { parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { managedFieldsLosses } from "./managed-fields-losses.ts";

describe("managedFields", () => {
  const object = (...entries: object[]) => parseExactJson(JSON.stringify({ metadata: { managedFields: entries } }));
  const entry = (manager: string, operation = "Update", apiVersion = "a/v1", subresource?: string) => ({
    manager,
    operation,
    apiVersion,
    subresource,
  });

  test("that vanish are told by manager, once however many entries it had", () => {
    const before = object(entry("a", "Apply"), entry("a"), entry('say "x"'), entry("kept"));
    expect(managedFieldsLosses(before, object(entry("kept"))).map(({ path }) => path)).toEqual([
      'metadata.managedFields[manager="a"]',
      'metadata.managedFields[manager="say \\"x\\""]',
    ]);
  });

  test("that vanish are told with the first entry of the manager", () => {
    const [lost] = managedFieldsLosses(object(entry("a", "Apply"), entry("a")), object());
    expect(lost).toMatchObject({ before: '{"manager":"a","operation":"Apply","apiVersion":"a/v1"}', after: null });
  });

  test("that go to another version are not lost; to another operation or subresource they are", () => {
    expect(managedFieldsLosses(object(entry("a", "Apply", "a/v1beta1")), object(entry("a", "Apply", "a/v1")))).toEqual([]);
    expect(managedFieldsLosses(object(entry("a", "Apply")), object(entry("a", "Update")))).toHaveLength(1);
    expect(managedFieldsLosses(object(entry("a", "Update", "a/v1", "status")), object(entry("a")))).toHaveLength(1);
  });

  test("of one of a manager's two versions are lost, if the other is all that is left", () => {
    const both = object(entry("a"), entry("a", "Update", "a/v1beta1"));
    expect(managedFieldsLosses(both, object(entry("a")))).toHaveLength(1);
    expect(managedFieldsLosses(both, both)).toEqual([]);
  });

  test("of an object that has none are not lost", () => {
    expect(managedFieldsLosses(parseExactJson("{}"), parseExactJson("{}"))).toEqual([]);
    expect(managedFieldsLosses(object(), object(entry("crdshift")))).toEqual([]);
  });
});
