import { expect, test, vi } from "vitest";
import { objectMetadataOf } from "#lib/cluster/objects/object-pages.ts";
import { exactJson } from "#lib/domain/exact-json/exact-json.ts";
import { toldByReading } from "./told-by-reading.ts";

/** An object of this spec as a list has it, whose only entry owns this. */
function listed(spec: object, owned: object = {}) {
  const managedFields = [{ manager: "owner", operation: "Update", apiVersion: "example.com/v1", fieldsV1: { "f:spec": owned } }];
  const whole = exactJson({ metadata: { name: "one", uid: "u", resourceVersion: "1", managedFields }, spec });
  return { ...objectMetadataOf(whole), whole };
}

const values = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, true]));

// Without MOST.characters (told-by-reading.ts) an object with one long key or text is small, and so is looked at among those of its page.
test.each<[string, ReturnType<typeof listed>, boolean]>([
  ["an object", listed({ size: true }), true],
  ["one of 4,900 values", listed(values(4_900)), true],
  ["one of 5,000 values", listed(values(5_000)), false],
  ["one with a text of 100 KB", listed({ note: "x".repeat(100_000) }), true],
  ["one with a text of a megabyte", listed({ note: "x".repeat(1_000_000) }), false],
  ["one with a long key", listed({ ["x".repeat(700_000)]: true }), false],
  ["one whose entry names a long key", listed({}, { [`f:${"\u007f".repeat(1_400_000)}`]: {} }), false],
])("of the objects of a page, %s is read only if it is small", async (_, object, isAsked) => {
  const suffices = vi.fn(() => true);
  const page = [object];
  const [told] = await toldByReading(page, suffices, "alice");
  expect([told?.isTold, suffices.mock.calls.length]).toEqual([isAsked, Number(isAsked)]);
  expect(page).toEqual([]);
});
