import type { BenchCluster } from "#bench/bench-cluster.ts";
import { startBenchDashboard } from "#bench/dashboard.ts";
import type { Options } from "#bench/options.ts";
import { type EngineName, type EngineRounds, engineNames } from "#bench/report/engines-section.ts";
import { createWidgets } from "#bench/widgets.ts";
import { findProgram } from "#lib/local-cluster/binaries/find-program.ts";
import { bareLoop } from "./bare-loop.ts";
import { crdshift, secondRun } from "./crdshift.ts";
import { inTree, migrate } from "./in-tree.ts";
import { kubectlReplace } from "./kubectl-replace.ts";
import { measureTurn, type Turn } from "./measure-turn.ts";

const DRY_RUN_OBJECTS = 10_000;

/** Four engines on the same objects, alternating, each after its own flip of the storage version. */
export async function measureEngines(cluster: BenchCluster, { objects, rounds }: Options): Promise<EngineRounds> {
  const kubectl = await findProgram("kubectl");
  const widgets = await createWidgets(cluster, "engines.bench.crdshift.dev");
  console.error("Waiting for the cluster's own engine to discover the definition …");
  await migrate(cluster, widgets);
  console.error(`Creating ${objects} objects …`);
  await widgets.fill(objects);
  await widgets.flip();
  const dashboard = await startBenchDashboard(cluster);
  try {
    await dashboard.open();
    const crd = widgets.definition.name;
    const dryRun = await dashboard.dryRun(crd, Math.min(objects, DRY_RUN_OBJECTS));
    // Nothing is stale now, and the server is as warm as in all later turns.
    await crdshift(dashboard, crd, objects);
    console.error(`dry run of ${dryRun.dryRun.dryRun.checked} objects: ${dryRun.seconds.toFixed(1)} s`);

    const paths = (version: string) => Array.from({ length: objects }, (_, index) => widgets.objectPath(version, index));
    const engines: Record<EngineName, (version: string) => Promise<Turn>> = {
      crdshift: () => crdshift(dashboard, crd, objects),
      inTree: () => inTree(cluster, widgets),
      kubectlReplace: () => kubectlReplace(cluster, widgets, kubectl),
      bareLoop: (version) => bareLoop(cluster.context, paths(version)),
    };
    const measured: EngineRounds = { turns: { crdshift: [], inTree: [], kubectlReplace: [], bareLoop: [] }, secondRuns: [], dryRun };
    for (let round = 0; round < rounds; round += 1) {
      for (const name of inTurn(engineNames, round)) {
        const turn = await measureTurn(cluster, widgets, engines[name]);
        measured.turns[name].push(turn);
        console.error(`round ${round + 1}: ${name} ${turn.seconds.toFixed(1)} s after a wait of ${turn.waitedSeconds.toFixed(1)} s`);
        if (name === "crdshift") measured.secondRuns.push(await secondRun(cluster, dashboard, widgets, objects));
      }
    }
    return measured;
  } finally {
    await dashboard.stop();
  }
}

// Each round starts with another engine.
function inTurn<Item>(items: readonly Item[], round: number): Item[] {
  const first = round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
