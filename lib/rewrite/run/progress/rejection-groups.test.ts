import fc from "fast-check";
import { expect, test } from "vitest";
import { createRejectionGroups } from "./rejection-groups.ts";

const named = (name: string, namespace = "default") => ({ namespace, name });
const because = (message: string, reason = "Forbidden") => ({ reason, message });

test("one cause is one group although each message names its object; a different reason or message is another group", () => {
  const groups = createRejectionGroups();
  for (const name of ["one", "two", "three"]) groups.add(named(name), because(`widgets "${name}" is forbidden: frozen`));
  groups.add(named("four"), because('widgets "four" is forbidden: no quota'));
  groups.add(named("five"), because('widgets "five" is forbidden: frozen', "Invalid"));
  expect(groups.list().map(({ reason, message, count }) => [reason, message, count])).toEqual([
    ["Forbidden", 'widgets "one" is forbidden: frozen', 3],
    ["Forbidden", 'widgets "four" is forbidden: no quota', 1],
    ["Invalid", 'widgets "five" is forbidden: frozen', 1],
  ]);
});

test("a name that is part of other words splits no cause", () => {
  const groups = createRejectionGroups();
  for (const name of ["web", "den", "quota.v1", "a"]) {
    groups.add(named(name), because(`admission webhook "quota-v1.example.com" denied the request: ${name} is over the quota`));
  }
  expect(groups.list().map(({ count }) => count)).toEqual([4]);
});

test("the message is the server's, cut only if it is extremely long", () => {
  const groups = createRejectionGroups();
  groups.add(named("a"), because('spec.size: Invalid value: "x" $& $1 …'));
  groups.add(named("b"), because("y".repeat(5_000)));
  expect(groups.list()[0]?.message).toBe('spec.size: Invalid value: "x" $& $1 …');
  expect(groups.list()[1]?.message).toHaveLength(1_000);
});

test("groups of a later pass replace those of the same cause", () => {
  const [groups, later] = [createRejectionGroups(), createRejectionGroups()];
  groups.add(named("one"), because("frozen"));
  later.add(named("one"), because("frozen"));
  later.add(named("two"), because("frozen"));
  later.add(named("three"), because("too small"));
  groups.take(later.list());
  expect(groups.list().map(({ message, count }) => [message, count])).toEqual([
    ["frozen", 2],
    ["too small", 1],
  ]);
});

test("they stay few and small, every object is counted once, and examples are objects of the group", () => {
  const refusals = fc.array(
    fc.record({ name: fc.integer({ min: 0, max: 30 }), cause: fc.nat(60), reason: fc.constantFrom("Invalid", "Forbidden") }),
    { maxLength: 300 },
  );
  fc.assert(
    fc.property(refusals, (all) => {
      const groups = createRejectionGroups();
      for (const { name, cause, reason } of all) groups.add(named(`widget-${name}`), because(`cause ${cause}: no`, reason));
      const list = groups.list();
      expect(list.length).toBeLessThanOrEqual(21);
      expect(list.reduce((sum, { count }) => sum + count, 0)).toBe(all.length);
      for (const { reason, message, count, examples } of list) {
        expect(examples).toHaveLength(Math.min(10, count));
        if (reason === "Other") continue;
        const own = all.filter((one) => one.reason === reason && `cause ${one.cause}: no` === message);
        expect(count).toBe(own.length);
        expect(examples).toEqual(own.slice(0, 10).map(({ name }) => named(`widget-${name}`)));
      }
    }),
  );
});
