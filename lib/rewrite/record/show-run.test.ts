import { expect, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { sampleCrd, sampleRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { letGo, showRun } from "./held-run.ts";

const fleets = vi.hoisted(() => ({ shown: [] as string[], others: [] as [string, Crd | null][] }));

vi.mock("#lib/cluster/fleet/fleet-of.ts", () => {
  const fleet = (name: string, seen: Crd | null) => ({
    lastSeen: () => seen,
    noteRun: (_: string, run: Run | null) => void fleets.shown.push(`${name} ${run?.id}`),
  });
  return { fleetOf: () => fleet("own", null), otherFleetsOfOwner: () => fleets.others.map((one) => fleet(...one)) };
});

// Without hasRun (held-run.ts) a cluster that was made anew at the same address shows the run of the one before, which nobody can cancel.
test("a run shows on other connections of its owner where they have it, and not on another cluster or in place of a later run", () => {
  const run = sampleRun({ id: "r" });
  const crd = sampleCrd({ record: sampleRecord({ runs: [run] }) });
  fleets.others = [
    ["same", crd],
    ["another", { ...crd, uid: "another" }],
    ["later", { ...crd, record: sampleRecord({ runs: [sampleRun({ id: "s" }), run] }) }],
    ["unseen", null],
  ];
  const held = { connection: {} as Partial<Connection> as Connection, crd, run };
  showRun(held, run);
  letGo(held);
  expect(fleets.shown).toEqual(["own r", "same r", "own undefined", "same undefined"]);
});
