import fc from "fast-check";
import { expect, test } from "vitest";
import { formatFieldPath, type PathStep } from "./field-path.ts";

const key = (name: string): PathStep => ({ key: name });

test.each<[PathStep[], string]>([
  [[key("spec"), key("containers"), "index", key("image")], "spec.containers[*].image"],
  [[key("spec"), key("rows"), "index", "index"], "spec.rows[*][*]"],
  [[key("metadata"), key("annotations"), key("example.com/team")], 'metadata.annotations["example.com/team"]'],
  [[key("a.b"), key("c")], '["a.b"].c'],
  [[key("spec"), key("0")], 'spec["0"]'],
  [[key("spec"), key("")], 'spec[""]'],
  [[key("spec"), key('say "x"')], 'spec["say \\"x\\""]'],
  [[key("$ref"), key("kebab-case"), key("_x")], "$ref.kebab-case._x"],
  [[key("spec"), key("pools"), "any-key", key("size")], "spec.pools.*.size"],
  [["any-key", key("*")], '*["*"]'],
  [[], ""],
])("%j is written %s", (steps, path) => {
  expect(formatFieldPath(steps)).toBe(path);
});

test("different steps never read alike, whatever the keys are made of", () => {
  const step: fc.Arbitrary<PathStep> = fc.oneof(
    fc.constantFrom("index", "any-key"),
    fc.oneof(fc.string({ unit: fc.constantFrom("a", ".", "/", "[", "]", "*", '"', "\\", "0", "-"), maxLength: 4 })).map(key),
  );
  const steps = fc.array(step, { maxLength: 4 });
  fc.assert(
    fc.property(steps, steps, (one, other) => {
      expect(formatFieldPath(one) === formatFieldPath(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
    { numRuns: 2_000 },
  );
});
