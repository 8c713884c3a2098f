import fc from "fast-check";
import { expect, test } from "vitest";
import type { LossKind } from "#lib/domain/losses/losses.ts";
import { createLossTally, type SeenLoss } from "./loss-tally.ts";

const named = (name: string) => ({ namespace: "default", name });
const seen = { version: "v1beta1", before: "1", after: null };
const loss = (kind: LossKind, path: string): SeenLoss => ({ kind, path, ...seen });
const example = (name: string) => ({ ...named(name), ...seen });

test("objects are counted by kind and path, the worst kind first, then the widest", () => {
  const tally = createLossTally();
  tally.count(named("a"), [loss("defaulted", "spec.mode"), loss("dropped", "spec.x")]);
  tally.count(named("b"), [loss("defaulted", "spec.mode"), loss("dropped", "spec.y"), loss("managed-fields", "m")]);
  tally.count(named("c"), [loss("changed", "spec.x"), loss("dropped", "spec.y")]);
  expect(tally.list()).toEqual([
    { kind: "dropped", path: "spec.y", objects: 2, examples: [example("b"), example("c")] },
    { kind: "dropped", path: "spec.x", objects: 1, examples: [example("a")] },
    { kind: "changed", path: "spec.x", objects: 1, examples: [example("c")] },
    { kind: "managed-fields", path: "m", objects: 1, examples: [example("b")] },
    { kind: "defaulted", path: "spec.mode", objects: 2, examples: [example("a"), example("b")] },
  ]);
  expect(tally.more()).toBe(0);
});

test("an example has the values of its object, and the version that showed them", () => {
  const tally = createLossTally();
  tally.count(named("a"), [{ ...loss("changed", "spec.x"), before: '"90s"', after: '"91s"' }]);
  tally.count(named("b"), [{ ...loss("changed", "spec.x"), version: "v1", before: "1", after: "2" }]);
  expect(tally.list()[0]?.examples).toEqual([
    { ...named("a"), version: "v1beta1", before: '"90s"', after: '"91s"' },
    { ...named("b"), version: "v1", before: "1", after: "2" },
  ]);
});

test("each path has an example, and all have 400 more together", () => {
  const tally = createLossTally();
  const losses = Array.from({ length: 120 }, (_, path) => loss("dropped", `spec.x${path}`)).concat(
    Array.from({ length: 100 }, (_, path) => loss("changed", `spec.x${path}`)),
  );
  for (const object of "abcdef") tally.count(named(object), losses);
  const examples = tally.list().map(({ examples }) => examples.length);
  expect([examples.length, Math.min(...examples), Math.max(...examples)]).toEqual([200, 3, 3]);
  expect(examples.reduce((sum, count) => sum + count)).toBe(200 + 400);
});

test("many defaults do not displace dropped fields", () => {
  const tally = createLossTally();
  for (let index = 0; index < 500; index++) tally.count(named(`o-${index}`), [loss("defaulted", `spec.d${index}`)]);
  tally.count(named("last"), [loss("dropped", "spec.x")]);
  expect(tally.list()[0]).toMatchObject({ kind: "dropped", path: "spec.x", objects: 1 });
});

// Without the fingerprint (shownPath) whoever accepts one of them accepts all, also in objects that no dry run saw.
test("long paths are cut, and stay different", () => {
  const tally = createLossTally();
  const long = "k".repeat(400);
  tally.count(
    named("a"),
    ["1", "2", "3"].map((end) => loss("dropped", `spec.${long}${end}`)),
  );
  const paths = tally.list().map(({ path }) => path);
  expect(new Set(paths).size).toBe(3);
  for (const path of paths) expect(path).toMatch(/^spec\.k+\.{3}[0-9a-z]{21}$/);
  expect(paths.map(({ length }) => length)).toEqual([300, 300, 300]);
});

test("it stays bounded for any objects, and counts the paths it does not list", () => {
  const tally = createLossTally();
  for (let index = 0; index < 30_000; index++) {
    tally.count(named(`o-${index}`), [loss("dropped", `spec.key-${index}`), loss("dropped", "spec.common")]);
  }
  const list = tally.list();
  expect(list).toHaveLength(100);
  expect(list[0]).toMatchObject({ path: "spec.common", objects: 30_000 });
  expect(list[0]?.examples).toHaveLength(5);
  expect(tally.more()).toBe(10_000);
});

test("listed numbers are right: each path is counted from the first object that has it", () => {
  const objects = fc.array(
    fc.uniqueArray(
      fc.record({ kind: fc.constantFrom<LossKind>("dropped", "changed", "defaulted"), path: fc.nat(150).map((n) => `spec.p${n}`) }),
      {
        selector: ({ kind, path }) => `${kind} ${path}`,
        maxLength: 12,
      },
    ),
    { maxLength: 120 },
  );
  fc.assert(
    fc.property(objects, (all) => {
      const tally = createLossTally();
      for (const [index, losses] of all.entries())
        tally.count(
          named(`o-${index}`),
          losses.map(({ kind, path }) => loss(kind, path)),
        );
      const list = tally.list();
      for (const { kind, path, objects: count, examples } of list) {
        const having = all.flatMap((losses, index) =>
          losses.some((one) => one.kind === kind && one.path === path) ? [example(`o-${index}`)] : [],
        );
        expect(count).toBe(having.length);
        expect(examples).toEqual(having.slice(0, 5));
      }
      const distinct = new Set(all.flat().map(({ kind, path }) => `${kind} ${path}`));
      expect(list.length + tally.more()).toBe(distinct.size);
    }),
  );
});
