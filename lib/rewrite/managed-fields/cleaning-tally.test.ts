import { expect, test } from "vitest";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import type { CleanedObject } from "./clean-object.ts";
import { createCleaningTally } from "./cleaning-tally.ts";

test("of objects that the API server emptied, five are named and the others are counted", () => {
  const tally = createCleaningTally({ dryRun: false });
  for (let index = 0; index < 1_000; index += 1) {
    tally.emptied({ namespace: "default", name: `o${index}` } as Partial<ObjectMetadata> as ObjectMetadata);
  }
  expect(tally.losses().emptied).toEqual({ objects: 1_000, first: [0, 1, 2, 3, 4].map((index) => `default/o${index}`) });
});

const object = { namespace: "default", name: "o" } as Partial<ObjectMetadata> as ObjectMetadata;
const takenBack = (after: ReturnType<typeof entryOf>[]): CleanedObject => ({
  kind: "takenBack",
  value: {
    ...{ before: [entryOf("crdshift")], sent: [], after, raised: false, altered: false },
    rewritten: { deleted: false, owned: false, managedFields: after, generation: 1, resourceVersion: "2" },
  },
});

// Without takenBack of its own (current), an object that the cleaning has written counts as untouched.
test("objects that only crdshift's own entry was removed from are counted, also once the list has begun again", () => {
  const tally = createCleaningTally({ dryRun: false });
  tally.begin();
  tally.listed(false);
  tally.counting()(object, takenBack([entryOf("owner")]));
  expect(tally.current()).toMatchObject({ scanned: 1, cleaned: 0, takenBack: 1, untouched: 0 });
  tally.begin();
  tally.listed(true);
  expect(tally.current()).toMatchObject({ scanned: 1, cleaned: 0, takenBack: 1, untouched: 0 });
});

// Without hasOwn for these (counting), the Event says that crdshift's own entry was removed where it stayed.
test("an object that keeps crdshift's own entry isn't told as one that it was removed from", () => {
  const tally = createCleaningTally({ dryRun: false });
  tally.listed(false);
  tally.counting()(object, takenBack([entryOf("crdshift")]));
  expect(tally.current()).toMatchObject({ takenBack: 0, untouched: 1 });
  // It is tried again where the list begins again.
  tally.begin();
  tally.listed(false);
  tally.counting()(object, takenBack([entryOf("crdshift")]));
  expect(tally.ownLeft()).toBe(1);
});

function entryOf(manager: string) {
  return { manager, operation: "Update", apiVersion: "example.com/v1", fieldsType: "FieldsV1", fieldsV1: { "f:spec": {} } };
}
