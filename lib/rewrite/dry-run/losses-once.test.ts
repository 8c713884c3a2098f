import { expect, test } from "vitest";
import type { ObjectLoss } from "#lib/domain/losses/losses.ts";
import { lossesOnce } from "./losses-once.ts";

const loss = (kind: ObjectLoss["kind"], path: string, before: string | null = null): ObjectLoss => ({ kind, path, before, after: null });

test("has each path once for each kind, worst kind first, as the last version shows it", () => {
  const losses = lossesOnce();
  losses.add("v1", [loss("defaulted", "spec.a"), loss("dropped", "spec.a", "1")]);
  losses.add("v2", [loss("dropped", "spec.b"), loss("dropped", "spec.a", "2")]);
  expect(losses.all()).toEqual([
    { ...loss("dropped", "spec.a", "2"), version: "v2" },
    { ...loss("dropped", "spec.b"), version: "v2" },
    { ...loss("defaulted", "spec.a"), version: "v1" },
  ]);
});

// Kept in one list (try-object.ts, flip-losses.ts) a hundred versions that each show 100,000 others took gigabytes.
test("keeps no more than a tally counts, whatever versions show", () => {
  const losses = lossesOnce();
  for (let version = 0; version < 20; version += 1) {
    losses.add(
      `v${version}`,
      Array.from({ length: 5_000 }, (_, index) => loss("dropped", `spec.v${version}k${index}`)),
    );
  }
  expect(losses.all().length).toBeLessThan(25_000);
});
