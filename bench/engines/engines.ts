import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { BenchCluster } from "#bench/bench-cluster.ts";
import { startBenchDashboard } from "#bench/dashboard.ts";
import { startMeter } from "#bench/meter.ts";
import type { Options } from "#bench/options.ts";
import { type EngineName, type EngineRounds, engineNames } from "#bench/report/engines-section.ts";
import { createWidgets, nextChange, type Widgets } from "#bench/widgets.ts";
import { sleep } from "#lib/async/sleep.ts";
import type { KubernetesObject } from "#lib/local-cluster/api-client.ts";
import { findProgram } from "#lib/local-cluster/binaries/find-program.ts";
import { migrationsOf } from "#lib/local-cluster/testing/in-tree-engine.ts";
import { bareLoop } from "./bare-loop.ts";
import { crdshift, secondRun } from "./crdshift.ts";
import { measureTurn, onlyClient, type Turn } from "./measure-turn.ts";

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

const GIVE_UP_MS = 60 * 60_000;

/** The manual way: `kubectl get -o json | kubectl replace -f -`. Both processes count as the client. */
async function kubectlReplace(cluster: BenchCluster, { definition }: Widgets, kubectl: string): Promise<Turn> {
  const signal = AbortSignal.timeout(GIVE_UP_MS);
  const common = [`--kubeconfig=${cluster.kubeconfig}`, `--cache-dir=${join(cluster.directory, "kubectl-cache")}`, "--namespace=default"];
  const startedAt = performance.now();
  const get = spawn(kubectl, ["get", definition.name, "--output=json", ...common], { stdio: ["ignore", "pipe", "inherit"], signal });
  const replace = spawn(kubectl, ["replace", "--filename=-", ...common], { stdio: ["pipe", "pipe", "inherit"], signal });
  const ends = [end(get), end(replace)];
  const meters = { get: startMeter(get.pid ?? -1), replace: startMeter(replace.pid ?? -1) };
  const [piped, said] = [counter(), counter()];
  await Promise.all([...ends, pipeline(get.stdout, piped.count, replace.stdin), pipeline(replace.stdout, said.count, said.discard)]);
  const seconds = (performance.now() - startedAt) / 1_000;
  const used = { get: meters.get.stop(), replace: meters.replace.stop() };
  return {
    seconds,
    waitedSeconds: 0,
    client: {
      peakRssMb: used.get.peakRssMb + used.replace.peakRssMb,
      rssGrowthMb: used.get.rssGrowthMb + used.replace.rssGrowthMb,
      cpuSeconds: used.get.cpuSeconds + used.replace.cpuSeconds,
      sentBytes: used.replace.writtenBytes - said.bytes(),
      receivedBytes: used.get.readBytes + used.replace.readBytes - piped.bytes(),
    },
  };
}

// Counts the traffic between the two kubectl and their unused output, to subtract it from the bytes they read and wrote.
function counter() {
  let bytes = 0;
  return {
    bytes: () => bytes,
    async *count(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        yield chunk;
      }
    },
    async discard(chunks: AsyncIterable<Buffer>) {
      for await (const _ of chunks);
    },
  };
}

async function end(child: ReturnType<typeof spawn>): Promise<void> {
  const [code, name] = await once(child, "exit");
  if (code !== 0) throw new Error(`${child.spawnargs.slice(0, 2).join(" ")} ended with ${code ?? name}.`);
}

const LOOK_EVERY_MS = 250;
const MIGRATION_GIVE_UP_MS = 30 * 60_000;

interface Migration extends KubernetesObject {
  status?: { conditions?: { type: string; status: string; message?: string }[] };
}

/**
 * The cluster's own engine: a StorageVersionMigration, from its creation until it says Succeeded. It begins once the garbage
 * collector's cache is known to be new enough, which may take a minute; that wait is told apart. A migration can't be run again,
 * so each turn creates one.
 */
async function inTree(cluster: BenchCluster, widgets: Widgets): Promise<Turn> {
  const over = new AbortController();
  const { changed } = await nextChange(cluster, widgets, over.signal);
  const meter = startMeter(controllerManager(cluster).pid());
  const startedAt = performance.now();
  await migrate(cluster, widgets);
  const endedAt = performance.now();
  const client = onlyClient(meter.stop());
  over.abort(new Error("no object was written"));
  const beganAt = await changed;
  return {
    seconds: (endedAt - beganAt) / 1_000,
    waitedSeconds: (beganAt - startedAt) / 1_000,
    client,
  };
}

/** Creates a StorageVersionMigration and waits until it has succeeded. Throws when it fails, or takes more than half an hour. */
async function migrate(cluster: BenchCluster, { definition: { group, plural } }: Widgets): Promise<void> {
  const { api, migrationApi } = cluster;
  const migrations = migrationsOf(cluster);
  const { metadata } = await api.create(migrations, {
    apiVersion: migrationApi,
    kind: "StorageVersionMigration",
    metadata: { generateName: `${plural}-` },
    spec: { resource: { group, resource: plural } },
  });
  const deadline = AbortSignal.timeout(MIGRATION_GIVE_UP_MS);
  for (;;) {
    await sleep(LOOK_EVERY_MS, deadline);
    const { status } = await api.get<Migration>(`${migrations}/${metadata.name}`);
    const isTrue = (type: string) => status?.conditions?.find((condition) => condition.type === type && condition.status === "True");
    const failed = isTrue("Failed");
    if (failed) throw new Error(`The StorageVersionMigration ${metadata.name} failed: ${failed.message}`);
    if (isTrue("Succeeded")) return;
  }
}

function controllerManager({ controllerManager: program }: BenchCluster) {
  if (!program) throw new Error("The cluster has no kube-controller-manager: start it with { controllerManager: true }.");
  return program;
}
