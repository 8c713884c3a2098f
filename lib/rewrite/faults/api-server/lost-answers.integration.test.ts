import { describe, expect } from "vitest";
import type { Fault } from "#lib/cluster/testing/fault-proxy.ts";
import { faultTest, listOf, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { writesAt } from "#lib/rewrite/testing/etcd/etcd-history.ts";

const OBJECTS = 60;
/** Those under way at first, and two probes: each that fails doubles the wait for the next. */
const LOST = 6;
const html502: Fault = {
  kind: "answer",
  status: 502,
  headers: { "content-type": "text/html" },
  body: "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>",
};

describe("an answer that does not arrive", () => {
  // Where a lost answer is taken for the object's rejection (classify-failure.ts), the run ends blocked.
  for (const [name, fault] of [
    ["a reset after the commit", { kind: "reset", when: "after" }],
    ["a reset before the API server hears of it", { kind: "reset", when: "before" }],
    ["an answer cut in half", { kind: "truncate" }],
    ["a gateway's 502 in HTML", html502],
  ] satisfies [string, Fault][]) {
    faultTest(`${name}: each object is written once, counted once, and proven`, async ({ stale, proxy, rewrite, changes, storedAs }) => {
      const definition = await stale(OBJECTS);
      const lost = proxy.inject(patchOf(definition), fault, LOST);
      const run = await rewrite(definition, { acceptUnseen: true });
      expect(lost.hits()).toBe(LOST);
      expect(run).toMatchObject({
        phase: "succeeded",
        counts: { total: OBJECTS, rewritten: OBJECTS, alreadyCurrent: 0, gone: 0, rejected: 0 },
      });
      expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
      const writes = writesAt(await changes(), definition, "v1");
      expect([...writes.values()]).toEqual(Array(OBJECTS).fill(1));
    });
  }
});

// Where what befalls a list ends the run (through-gate.ts) it ends failed at the first of them.
faultTest(
  "lists that are cut, reset, refused or slow are requested again, and no object is missed",
  async ({ stale, proxy, rewrite, storedAs }) => {
    const definition = await stale(OBJECTS);
    const faults: Fault[] = [{ kind: "delay", ms: 300 }, { kind: "truncate" }, html502, { kind: "reset", when: "after" }];
    // The latest goes first.
    const met = faults.map((fault) => proxy.inject(listOf(definition), fault, 1));
    const run = await rewrite(definition, { acceptUnseen: true });
    expect(met.map(({ hits }) => hits())).toEqual([1, 1, 1, 1]);
    expect(run).toMatchObject({ phase: "succeeded", counts: { total: OBJECTS, rewritten: OBJECTS, gone: 0, rejected: 0, remaining: 0 } });
    expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
  },
);
