import fc from "fast-check";
import { expect, test } from "vitest";
import { compareVersionPriority, versionPriorityOrder } from "./version-priority.ts";

const number = fc.oneof(fc.nat({ max: 20 }).map(String), fc.constantFrom("00", "01", "007", "9223372036854775807", "9223372036854775808"));
const versionName = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(number, fc.constantFrom("", "alpha", "beta"), number).map(([a, kind, b]) => `v${a}${kind && kind + b}`),
  },
  { weight: 2, arbitrary: fc.stringMatching(/^[a-z]([-a-z0-9]{0,8}[a-z0-9])?$/) },
  { weight: 1, arbitrary: fc.constantFrom("v", "v1beta", "v1alpha", "vv1", "v1gamma1", "v1beta1x") },
);
const names = (versions: readonly { name: string }[]) => versions.map(({ name }) => name);

test("compares every two names the opposite way round with the opposite result", () => {
  fc.assert(
    fc.property(versionName, versionName, (a, b) => {
      expect(Math.sign(compareVersionPriority(a, b))).toBe(0 - Math.sign(compareVersionPriority(b, a)));
    }),
  );
});

test("is transitive, ties included", () => {
  fc.assert(
    fc.property(versionName, versionName, versionName, (a, b, c) => {
      const [ab, bc, ac] = [compareVersionPriority(a, b), compareVersionPriority(b, c), compareVersionPriority(a, c)].map(Math.sign);
      if (ab === bc) expect(ac).toBe(ab);
      if (ab === 0) expect(ac).toBe(bc);
    }),
  );
});

test("ties only names that write the same version with other zeros", () => {
  const withoutZeros = (name: string) => name.replaceAll(/(?<=\D)0+(?=\d)/g, "");
  fc.assert(
    fc.property(versionName, versionName, (a, b) => {
      if (compareVersionPriority(a, b) === 0) expect(withoutZeros(a)).toBe(withoutZeros(b));
    }),
  );
});

test("orders the same versions the same way, in whatever order the spec has them", () => {
  const distinct = fc.uniqueArray(versionName, { comparator: (a, b) => compareVersionPriority(a, b) === 0, maxLength: 12 });
  const shuffled = distinct.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
  fc.assert(
    fc.property(shuffled, ([list, again]) => {
      const versions = (of: string[]) => of.map((name) => ({ name }));
      expect(names(versionPriorityOrder(versions(again)))).toEqual(names(versionPriorityOrder(versions(list))));
    }),
  );
});

test("gives every version back, once", () => {
  fc.assert(
    fc.property(fc.array(versionName, { maxLength: 12 }), (list) => {
      expect(names(versionPriorityOrder(list.map((name) => ({ name })))).toSorted()).toEqual(list.toSorted());
    }),
  );
});
