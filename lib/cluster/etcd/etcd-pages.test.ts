import fc from "fast-check";
import { expect, test } from "vitest";
import { smallerLimit } from "./etcd-pages.ts";

test("a smaller limit is smaller until it is 1", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), (limit) => {
      expect(smallerLimit(limit)).toBeGreaterThanOrEqual(1);
      expect(smallerLimit(limit)).toBeLessThan(Math.max(limit, 2));
    }),
  );
});
