import { findBinaries } from "#lib/local-cluster/find-binaries.ts";
import { bareLoop } from "./bare-loop.ts";
import type { BenchCluster } from "./bench-cluster.ts";
import { crdshift } from "./crdshift.ts";
import { startBenchDashboard } from "./dashboard.ts";
import { type EngineName, type EngineRounds, engineNames } from "./engines-section.ts";
import { inTree, migrate } from "./in-tree.ts";
import { kubectlReplace } from "./kubectl-replace.ts";
import { measureTurn } from "./measure-turn.ts";
import type { Options } from "./options.ts";
import { secondRun } from "./second-run.ts";
import type { Turn } from "./turn.ts";
import { createWidgets } from "./widgets.ts";

const DRY_RUN_OBJECTS = 10_000;

/** Four engines on the same objects, alternating, each after a flip of the storage version of its own. */
export async function measureEngines(cluster: BenchCluster, { objects, rounds }: Options): Promise<EngineRounds> {
  const { kubectl } = await findBinaries();
  const widgets = await createWidgets(cluster, "engines.bench.crdshift.dev");
  console.error("Waiting until the cluster's own engine knows the definition …");
  await migrate(cluster, widgets);
  console.error(`Creating ${objects} objects …`);
  await widgets.fill(objects);
  await widgets.flip();
  const dashboard = await startBenchDashboard(cluster);
  try {
    await dashboard.open();
    const crd = widgets.definition.name;
    const dryRun = await dashboard.dryRun(crd, Math.min(objects, DRY_RUN_OBJECTS));
    // Now there is nothing stale again, and the server is as warm as in all later turns.
    await crdshift(dashboard, crd, objects);
    console.error(`dry run of ${dryRun.preflight.dryRun.checked} objects: ${dryRun.seconds.toFixed(1)} s`);

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

// Each round begins with another one.
function inTurn<Item>(items: readonly Item[], round: number): Item[] {
  const first = round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
