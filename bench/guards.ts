import type { BenchCluster } from "./bench-cluster.ts";
import { startBenchDashboard } from "./dashboard.ts";
import { bareLoop } from "./engines/bare-loop.ts";
import { crdshift } from "./engines/crdshift.ts";
import { type MeasuredTurn, measureTurn, type Turn } from "./engines/measure-turn.ts";
import type { Options } from "./options.ts";
import { median, number, type Section, spread, table } from "./report/section.ts";
import { createWidgets } from "./widgets.ts";

const ways = {
  bareLoop: "bare loop of the same patches",
  accepted: "crdshift, losses accepted",
  defaults: "crdshift, defaults: objects are read first",
} as const;
type Way = keyof typeof ways;
const wayNames = ["bareLoop", "accepted", "defaults"] as const satisfies Way[];

interface Guarded {
  objects: number;
  turns: Record<Way, MeasuredTurn[]>;
}

/** What the guards against losses cost: from the click to the proof, by default and with losses accepted, beside a bare loop. */
export async function measureGuards(cluster: BenchCluster, { objects, rounds }: Options): Promise<Section> {
  const sizes = [Math.ceil(objects * 0.4), objects];
  const guarded: Guarded[] = [];
  for (const size of sizes) guarded.push({ objects: size, turns: await measureSize(cluster, size, rounds) });
  return {
    part: "guards",
    title: `${sizes.map((size) => number(size, 0)).join(" and ")} objects, ${rounds} rounds, medians (min … max)`,
    lines: [
      "Each turn rewrites all objects to the other of two versions with equal schemas, so nothing is lost. Seconds are from",
      "the click to the proof, with `CRDSHIFT_SETTLE_SECONDS=0`. After each turn, etcd held every object in the new version.",
      "By default, it reads all objects first and tries a hundred, because nothing could change the others.",
      "",
      ...table(
        ["way", "objects", "seconds", "objects/s", "speed relative to the bare loop", "requests per object"],
        guarded.flatMap(({ objects: size, turns }) => wayNames.map((way) => row(way, size, turns))),
      ),
    ],
    checks: [],
  };
}

function row(way: Way, objects: number, turns: Guarded["turns"]): string[] {
  const taken = turns[way].map(clickToProof);
  const requests = turns[way].map((turn) => turn.requests.values().reduce((sum, count) => sum + count, 0) / objects);
  return [
    ways[way],
    number(objects, 0),
    spread(taken, 1),
    spread(
      taken.map((seconds) => objects / seconds),
      0,
    ),
    number(median(turns.bareLoop.map(clickToProof)) / median(taken), 2),
    number(median(requests), 2),
  ];
}

// By default, the dry run passes before the run has settled.
function clickToProof({ seconds, waitedSeconds }: Turn): number {
  return seconds + waitedSeconds;
}

async function measureSize(cluster: BenchCluster, objects: number, rounds: number): Promise<Guarded["turns"]> {
  console.error(`Creating ${objects} objects …`);
  const widgets = await createWidgets(cluster, `guards-${objects}.bench.crdshift.dev`);
  await widgets.fill(objects);
  const dashboard = await startBenchDashboard(cluster);
  try {
    await dashboard.open();
    const crd = widgets.definition.name;
    const paths = (version: string) => Array.from({ length: objects }, (_, index) => widgets.objectPath(version, index));
    const run: Record<Way, (version: string) => Promise<Turn>> = {
      bareLoop: (version) => bareLoop(cluster.context, paths(version)),
      accepted: () => crdshift(dashboard, crd, objects),
      defaults: () => crdshift(dashboard, crd, objects, { losses: "defaults" }),
    };
    // The server is as warm as in all later turns.
    await measureTurn(cluster, widgets, run.accepted);
    const turns: Guarded["turns"] = { bareLoop: [], accepted: [], defaults: [] };
    for (let round = 1; round <= rounds; round += 1) {
      // Three ways, so each goes in the other direction in the next round; in the other order, so does the one in the middle.
      for (const way of round % 2 === 0 ? wayNames.toReversed() : wayNames) {
        const turn = await measureTurn(cluster, widgets, run[way]);
        turns[way].push(turn);
        console.error(`${objects} objects, round ${round}: ${way} ${clickToProof(turn).toFixed(1)} s`);
      }
    }
    return turns;
  } finally {
    await dashboard.stop();
  }
}
