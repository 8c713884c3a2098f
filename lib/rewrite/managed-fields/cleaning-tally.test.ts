import { expect, test } from "vitest";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { createCleaningTally } from "./cleaning-tally.ts";

test("of objects that the API server emptied, five are named and the others are counted", () => {
  const tally = createCleaningTally({ dryRun: false });
  for (let index = 0; index < 1_000; index += 1) {
    tally.emptied({ namespace: "default", name: `o${index}` } as Partial<ObjectMetadata> as ObjectMetadata);
  }
  expect(tally.losses().emptied).toEqual({ objects: 1_000, first: [0, 1, 2, 3, 4].map((index) => `default/o${index}`) });
});
