import type { BenchCluster } from "./bench-cluster.ts";
import { startBenchDashboard } from "./dashboard.ts";
import { crdshift } from "./engines/crdshift.ts";
import type { Turn } from "./engines/measure-turn.ts";
import { startMeter } from "./meter.ts";
import type { Options } from "./options.ts";
import { number, type Section, spread, table } from "./report/section.ts";
import { createWidgets } from "./widgets.ts";

interface Grown {
  objects: number;
  turns: Turn[];
  /** From the opened dashboard to the peak of any round. */
  rssGrowthMb: number;
  peakRssMb: number;
}

/** What the peak may rise from a tenth to five times the objects: two servers of the same build are about as far apart. */
const FLAT_WITHIN_MB = 20;

/** How crdshift's time and memory grow with the objects: a new server for each number of them. */
export async function measureGrowth(cluster: BenchCluster, options: Options): Promise<Section> {
  const { objects } = options;
  const rounds = Math.ceil(options.rounds / 2);
  const sizes = [Math.ceil(objects / 10), objects, objects * 5];
  const grown: Grown[] = [];
  for (const size of sizes) grown.push(await measureSize(cluster, size, rounds));
  const [least, most] = [grown.at(0), grown.at(-1)];
  return {
    part: "growth",
    title: `crdshift over ${sizes.map((size) => number(size, 0)).join(", ")} objects, ${rounds} rounds, medians (min … max)`,
    lines: [
      "A new server runs for each size. Its growth is from the opened dashboard to the peak of any round. Each round is a",
      "complete rewrite with verification after a flip of the storage version; after each, etcd held every object in the new",
      "version.",
      "",
      ...table(
        ["objects", "seconds", "objects/s", "client CPU, s", "peak RSS, MB", "growth of RSS, MB"],
        grown.map(({ objects: size, turns, rssGrowthMb, peakRssMb }) => [
          number(size, 0),
          spread(
            turns.map(({ seconds }) => seconds),
            2,
          ),
          spread(
            turns.map(({ seconds }) => size / seconds),
            0,
          ),
          spread(
            turns.map(({ client }) => client.cpuSeconds),
            1,
          ),
          number(peakRssMb, 0),
          number(rssGrowthMb, 1),
        ]),
      ),
    ],
    checks: [
      {
        name: `flat memory: peak RSS at ${number(most?.objects ?? 0, 0)} objects minus that at ${number(least?.objects ?? 0, 0)}, MB`,
        value: (most?.peakRssMb ?? Number.NaN) - (least?.peakRssMb ?? Number.NaN),
        relation: "<=",
        bound: FLAT_WITHIN_MB,
      },
    ],
  };
}

async function measureSize(cluster: BenchCluster, objects: number, rounds: number): Promise<Grown> {
  console.error(`Creating ${objects} objects …`);
  const widgets = await createWidgets(cluster, `of-${objects}.bench.crdshift.dev`);
  await widgets.fill(objects);
  const dashboard = await startBenchDashboard(cluster);
  try {
    await dashboard.open();
    const meter = startMeter(dashboard.pid);
    const turns: Turn[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      await widgets.flip();
      const turn = await crdshift(dashboard, widgets.definition.name, objects);
      await widgets.expectStored();
      turns.push(turn);
      console.error(`${objects} objects, round ${round}: ${turn.seconds.toFixed(1)} s, at most ${turn.client.peakRssMb.toFixed(0)} MB`);
    }
    const { rssGrowthMb, peakRssMb } = meter.stop();
    return { objects, turns, rssGrowthMb, peakRssMb };
  } finally {
    await dashboard.stop();
  }
}
