import type { BenchDashboard } from "#bench/dashboard.ts";
import type { SecondRun } from "#bench/engines/crdshift.ts";
import type { MeasuredTurn } from "#bench/engines/measure-turn.ts";
import type { Options } from "#bench/options.ts";
import { OBJECT_BYTES } from "#bench/widgets.ts";
import { type Check, median, number, type Section, spread, table } from "./section.ts";

export const engineNames = ["bareLoop", "inTree", "kubectlReplace", "crdshift"] as const;
export type EngineName = (typeof engineNames)[number];

/** What measureEngines found: the n-th turns of all engines are one round. */
export interface EngineRounds {
  turns: Record<EngineName, MeasuredTurn[]>;
  secondRuns: SecondRun[];
  dryRun: Awaited<ReturnType<BenchDashboard["dryRun"]>>;
}

const titles: Record<EngineName, string> = {
  crdshift: "crdshift, including verification",
  inTree: "StorageVersionMigration, the cluster's own engine",
  kubectlReplace: "`kubectl get -o json \\| kubectl replace -f -`",
  bareLoop: "bare loop of the same patches, the upper limit",
};

const explanation = [
  "Each turn rewrites all objects to the other of two versions. One direction costs the API server about a tenth more,",
  "because the objects' managedFields then name the other version and must be converted. All engines go equally often in",
  "each direction.",
  "",
  "Before each turn, the bench reads etcd and flips the storage version; after the turn, it reads etcd again. Every object",
  "was stored in the old version before the turn and in the new one after it.",
  "",
  "Seconds are from the start to the end that a client sees, without the wait before the first object, which has its own",
  "column. For crdshift, that wait is settling (here with `CRDSHIFT_SETTLE_SECONDS=0`; by default 65 s after a change of the",
  "spec). For the cluster's own engine, it lasts until its cache is known to be recent enough.",
  "",
  "kube-controller-manager runs in all turns. Requests are the API server's own count of requests for the objects",
  "(`apiserver_request_total`), without watches. Bytes are what the client's processes read and wrote (`/proc/<pid>/io`),",
  "including TLS and headers, but not what passes between the two kubectl processes. Memory is resident memory; for the two",
  "kubectl processes, it is their sum. CPU is user and kernel time.",
];

/** The engines as a table of medians with spread, and what must hold between them. */
export function enginesSection({ turns, secondRuns, dryRun }: EngineRounds, { objects, rounds }: Options): Section {
  const rows = (["crdshift", "inTree", "kubectlReplace", "bareLoop"] as const).map((name) => row(titles[name], turns[name], objects));
  const { checked } = dryRun.dryRun.dryRun;
  return {
    part: "engines",
    title: `${number(objects, 0)} objects of ${number(OBJECT_BYTES, 0)} bytes, ${rounds} rounds, medians (min … max)`,
    lines: [
      ...explanation,
      "",
      ...table(
        [
          ...[
            "engine",
            "seconds",
            "objects/s",
            "wait before, s",
            "requests per object",
            "bytes sent per object",
            "bytes received per object",
          ],
          ...["peak RSS, MB", "client CPU, s", "API server CPU, s"],
        ],
        rows,
      ),
      "",
      `Without the waits, crdshift is ${number(speedIn(turns, "inTree"), 2)} times as fast as the cluster's own engine.`,
      "",
      ...table(
        ["for comparison", "seconds"],
        [
          [
            "bare paged metadata list",
            spread(
              secondRuns.map(({ listSeconds }) => listSeconds),
              2,
            ),
          ],
          [
            "crdshift, second run over the same objects",
            spread(
              secondRuns.map(({ seconds }) => seconds),
              2,
            ),
          ],
          [`crdshift, dry run of ${number(checked, 0)} objects`, number(dryRun.seconds, 1)],
        ],
      ),
    ],
    checks: checks({ turns, secondRuns, dryRun }),
  };
}

function row(title: string, turns: readonly MeasuredTurn[], objects: number): string[] {
  const of = (value: (turn: MeasuredTurn) => number, digits: number) => spread(turns.map(value), digits);
  return [
    title,
    of(({ seconds }) => seconds, 1),
    of(({ seconds }) => objects / seconds, 0),
    of(({ waitedSeconds }) => waitedSeconds, 1),
    requestsPerObject(turns, objects),
    of(({ client }) => client.sentBytes / objects, 0),
    of(({ client }) => client.receivedBytes / objects, 0),
    of(({ client }) => client.peakRssMb, 0),
    of(({ client }) => client.cpuSeconds, 1),
    of(({ serverCpuSeconds }) => serverCpuSeconds, 1),
  ];
}

// The most frequent verb first, as "PATCH 1.000, LIST 0.004".
function requestsPerObject(turns: readonly MeasuredTurn[], objects: number): string {
  const verbs = [...new Set(turns.flatMap(({ requests }) => [...requests.keys()]))];
  return verbs
    .map((verb) => ({ verb, each: median(turns.map(({ requests }) => (requests.get(verb) ?? 0) / objects)) }))
    .sort((a, b) => b.each - a.each)
    .map(({ verb, each }) => `${verb} ${number(each, 3)}`)
    .join(", ");
}

function checks({ turns, secondRuns, dryRun }: EngineRounds): Check[] {
  const growth = [...turns.crdshift.map(({ client }) => client.rssGrowthMb), ...secondRuns.map(({ rssGrowthMb }) => rssGrowthMb)];
  const inBareLists = median(secondRuns.map(({ seconds, listSeconds }) => seconds / listSeconds));
  const ownEngine = speedIn(turns, "inTree", ({ seconds, waitedSeconds }) => seconds + waitedSeconds);
  return [
    {
      name: "crdshift's speed relative to the cluster's own engine, from creation to Succeeded",
      value: ownEngine,
      relation: ">=",
      bound: 2.2,
    },
    { name: "crdshift's speed relative to kubectl replace", value: speedIn(turns, "kubectlReplace"), relation: ">=", bound: 2.2 },
    { name: "crdshift's speed relative to the bare loop", value: speedIn(turns, "bareLoop"), relation: ">=", bound: 0.9 },
    { name: "time of a second run over the same objects, relative to a bare list", value: inBareLists, relation: "<=", bound: 3 },
    { name: "growth of the server's RSS during a run, MB", value: Math.max(...growth), relation: "<", bound: 60 },
    { name: "growth of the server's RSS from a tenth of the dry run to its end, MB", value: dryRun.rssGrowthMb, relation: "<", bound: 30 },
  ];
}

// How many times as fast crdshift was, settling apart. Of medians, not of rounds: in one round two engines may go opposite ways.
function speedIn(turns: EngineRounds["turns"], name: EngineName, taken = ({ seconds }: MeasuredTurn) => seconds): number {
  return median(turns[name].map(taken)) / median(turns.crdshift.map(({ seconds }) => seconds));
}
