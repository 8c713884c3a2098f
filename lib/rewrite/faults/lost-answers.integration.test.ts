import { describe, expect } from "vitest";
import type { Fault } from "#lib/cluster/testing/fault-proxy.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import type { EtcdChange } from "#lib/rewrite/testing/etcd-history.ts";
import { faultTest, patchOf } from "#lib/rewrite/testing/fault-test.ts";

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
      const run = await rewrite(definition, { acceptLosses: true });
      expect(lost.hits()).toBe(LOST);
      expect(run).toMatchObject({
        phase: "succeeded",
        counts: { total: OBJECTS, rewritten: OBJECTS, alreadyCurrent: 0, gone: 0, rejected: 0 },
      });
      expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
      expect(writesOf(await changes(), definition, "v1")).toEqual(Array(OBJECTS).fill(1));
    });
  }
});

/** How often each object was written at a version. */
function writesOf(changes: EtcdChange[], definition: SampleDefinition, version: string): number[] {
  const written = changes.filter(({ text }) => text?.includes(`"apiVersion":"${definition.group}/${version}"`));
  return Array.from({ length: OBJECTS }, (_, index) => written.filter(({ key }) => key.endsWith(`/${objectName(index)}`)).length);
}
