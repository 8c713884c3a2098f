import type { BenchCluster } from "#bench/bench-cluster.ts";
import { startBenchDashboard } from "#bench/dashboard.ts";
import { bareLoop } from "#bench/engines/bare-loop.ts";
import { crdshift } from "#bench/engines/crdshift.ts";
import { inTree, migrate } from "#bench/engines/in-tree.ts";
import { kubectlReplace } from "#bench/engines/kubectl-replace.ts";
import { measureTurn } from "#bench/engines/measure-turn.ts";
import type { Options } from "#bench/options.ts";
import { number, type Section, table } from "#bench/report/section.ts";
import { createWidgets } from "#bench/widgets.ts";
import { sleep } from "#lib/async/sleep.ts";
import { findProgram } from "#lib/local-cluster/binaries/find-program.ts";
import { type Kind, kinds, type Latencies, PER_SECOND, startOtherClients } from "./other-clients.ts";

const ways = {
  idle: "nothing",
  gentle: "crdshift, gentle",
  crdshift: "crdshift, normal",
  fast: "crdshift, as fast as it goes",
  bareLoop: "bare loop, 24 at once",
  inTree: "the cluster's own engine",
  kubectlReplace: "kubectl replace",
} as const;
type Way = keyof typeof ways;
const atWork = ["gentle", "crdshift", "fast", "bareLoop", "inTree", "kubectlReplace"] as const satisfies Way[];

/** What the other clients measured in each place, and how many objects a second were rewritten meanwhile, by round. */
interface Beside {
  latencies: Record<string, Latencies>;
  perSecond: number[];
}

const OTHER_OBJECTS = 2_000;
const IDLE_MS = 20_000;
const SAME = "the same definition";
const OTHER = "another definition";

/** What a rewrite costs the other clients of the API server: the latencies of their requests beside each engine, and beside nothing. */
export async function measureNeighbour(cluster: BenchCluster, { objects, rounds }: Options): Promise<Section> {
  const kubectl = await findProgram("kubectl");
  const [widgets, others] = [
    await createWidgets(cluster, "neighbour.bench.crdshift.dev"),
    await createWidgets(cluster, "other.bench.crdshift.dev"),
  ];
  await migrate(cluster, widgets);
  console.error(`Creating ${objects} objects …`);
  await widgets.fill(objects);
  await others.fill(Math.min(objects, OTHER_OBJECTS));
  const dashboard = await startBenchDashboard(cluster);
  const pathsOf = (version: string, count: number, of = widgets) =>
    Array.from({ length: count }, (_, index) => of.objectPath(version, index));
  const place = (name: string, of: typeof widgets, count: number, kinds: readonly Kind[]) => ({
    ...{ name, kinds },
    objects: pathsOf("v1", count, of),
    list: of.definition.path("v1"),
  });
  const clients = await startOtherClients(cluster.context, [
    // An update would make kubectl replace fail.
    place(SAME, widgets, objects, ["get", "list"]),
    place(OTHER, others, Math.min(objects, OTHER_OBJECTS), kinds),
  ]);
  try {
    await dashboard.open();
    const name = widgets.definition.name;
    const run = {
      gentle: () => crdshift(dashboard, name, objects, { pace: "gentle" }),
      crdshift: () => crdshift(dashboard, name, objects),
      fast: () => crdshift(dashboard, name, objects, { pace: "fast" }),
      bareLoop: (version: string) => bareLoop(cluster.context, pathsOf(version, objects)),
      inTree: () => inTree(cluster, widgets),
      kubectlReplace: () => kubectlReplace(cluster, widgets, kubectl),
    };
    const beside: Record<Way, Beside> = {
      ...{ idle: none(), gentle: none(), crdshift: none(), fast: none() },
      ...{ bareLoop: none(), inTree: none(), kubectlReplace: none() },
    };
    // The server is as warm as in all later turns.
    await measureTurn(cluster, widgets, run.crdshift);
    for (let round = 1; round <= rounds; round += 1) {
      await clients.take();
      await sleep(IDLE_MS, AbortSignal.timeout(2 * IDLE_MS));
      add(beside.idle, await clients.take(), null);
      for (const way of round % 2 === 0 ? atWork.toReversed() : atWork) {
        const turn = await measureTurn(cluster, widgets, async (version) => {
          await clients.take();
          const done = await run[way](version);
          add(beside[way], await clients.take(), objects / done.seconds);
          return done;
        });
        console.error(`round ${round}: ${way} ${turn.seconds.toFixed(1)} s`);
      }
    }
    return section(beside, objects, rounds);
  } finally {
    clients.stop();
    await dashboard.stop();
  }
}

function none(): Beside {
  const empty = (): Latencies => ({ get: [], update: [], list: [] });
  return { latencies: { [SAME]: empty(), [OTHER]: empty() }, perSecond: [] };
}

function add(to: Beside, measured: Record<string, Latencies>, perSecond: number | null): void {
  for (const [name, latencies] of Object.entries(measured)) for (const kind of kinds) to.latencies[name]?.[kind].push(...latencies[kind]);
  if (perSecond !== null) to.perSecond.push(perSecond);
}

function section(beside: Record<Way, Beside>, objects: number, rounds: number): Section {
  const p99 = (way: Way, kind: Kind = "get") => percentile(beside[way].latencies[OTHER]?.[kind] ?? [], 0.99);
  const rate = (way: Way) => mean(beside[way].perSecond);
  const rows = [OTHER, SAME].flatMap((name) =>
    (["idle", ...atWork] as const).map((way) => [
      name,
      ways[way],
      ...kinds.map((kind) => {
        const measured = beside[way].latencies[name]?.[kind] ?? [];
        if (measured.length === 0) return "";
        return `${number(percentile(measured, 0.5), 1)} / ${number(percentile(measured, 0.99), 1)}`;
      }),
      way === "idle" ? "" : number(rate(way), 0),
    ]),
  );
  const { get, update, list } = PER_SECOND;
  return {
    part: "neighbour",
    title: `${number(objects, 0)} objects, ${rounds} rounds`,
    lines: [
      `Other clients send ${get} GETs, ${update} updates, and ${list} lists of a page each second to another definition, and as many GETs and lists to`,
      "the one that is rewritten, while each engine works, and while none does. They send at that rate whether or not answers",
      "have come.",
      "",
      ...table(["clients of", "beside", ...kinds.map((kind) => `${kind}, p50 / p99, ms`), "objects/s"], rows),
    ],
    checks: [
      {
        name: "p99 of others' GETs beside crdshift, relative to the bare loop",
        value: p99("crdshift") / p99("bareLoop"),
        relation: "<=",
        bound: 0.5,
      },
      { name: "crdshift's speed relative to the bare loop", value: rate("crdshift") / rate("bareLoop"), relation: ">=", bound: 0.9 },
      {
        name: "p99 of others' GETs beside the gentle pace, relative to idle",
        value: p99("gentle") / p99("idle"),
        relation: "<=",
        bound: 2,
      },
      {
        name: "p99 of others' GETs beside crdshift, relative to the cluster's own engine",
        value: p99("crdshift") / p99("inTree"),
        relation: "<=",
        bound: 1,
      },
      {
        name: "p99 of others' GETs beside crdshift, relative to kubectl replace",
        value: p99("crdshift") / p99("kubectlReplace"),
        relation: "<=",
        bound: 1,
      },
    ],
  };
}

function percentile(measured: number[], share: number): number {
  const sorted = measured.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
