import type { Check } from "#bench/check.ts";
import type { BenchDashboard } from "#bench/dashboard.ts";
import type { MeasuredTurn } from "#bench/engines/measure-turn.ts";
import type { SecondRun } from "#bench/engines/second-run.ts";
import type { Options } from "#bench/options.ts";
import { OBJECT_BYTES } from "#bench/widgets.ts";
import { type Section, table } from "./section.ts";
import { median, number, spread } from "./statistics.ts";

export const engineNames = ["bareLoop", "inTree", "kubectlReplace", "crdshift"] as const;
export type EngineName = (typeof engineNames)[number];

/** What measureEngines found: the n-th turns of all engines are one round. */
export interface EngineRounds {
  turns: Record<EngineName, MeasuredTurn[]>;
  secondRuns: SecondRun[];
  dryRun: Awaited<ReturnType<BenchDashboard["dryRun"]>>;
}

const titles: Record<EngineName, string> = {
  crdshift: "crdshift, verification included",
  inTree: "StorageVersionMigration, the cluster's own",
  kubectlReplace: "`kubectl get -o json \\| kubectl replace -f -`",
  bareLoop: "bare loop of the same patches, the limit",
};

const explanation = [
  "Each turn goes to the other of two versions, and one of the two directions costs the API server about a tenth more: the objects' managedFields name the other version then, and are converted. All engines go as often either way.",
  "Before each turn etcd is read and the storage version flipped, and after it etcd is read again: every object was stored in the old version before and in the new one after. Seconds are from the start to the end that a client",
  "sees, without the wait before the first object, which has a column of its own: crdshift's settling (with `CRDSHIFT_SETTLE_SECONDS=0`; 65 s after a change of the spec by default) and,",
  "for the cluster's own engine, until its cache is known to be new enough. kube-controller-manager runs in all turns. Requests are the API server's own count of those for the objects",
  "(`apiserver_request_total`), watches apart; bytes are what the client's processes read and wrote (`/proc/<pid>/io`), with TLS and headers and without what passes between the two kubectl;",
  "memory is resident, that of the two kubectl added up; CPU is user and kernel time.",
];

/** The engines as a table of medians with spread, and what must hold between them. */
export function enginesSection({ turns, secondRuns, dryRun }: EngineRounds, { objects, rounds }: Options): Section {
  const rows = (["crdshift", "inTree", "kubectlReplace", "bareLoop"] as const).map((name) => row(titles[name], turns[name], objects));
  const { checked } = dryRun.dryRun.dryRun;
  return {
    part: "engines",
    title: `${number(objects, 0)} objects of ${number(OBJECT_BYTES, 0)} bytes, ${rounds} rounds, medians (least … most)`,
    lines: [
      ...explanation,
      "",
      ...table(
        [
          ...[
            "engine",
            "seconds",
            "objects/s",
            "waited first, s",
            "requests per object",
            "bytes sent per object",
            "bytes received per object",
          ],
          ...["peak RSS, MB", "client CPU, s", "API server CPU, s"],
        ],
        rows,
      ),
      "",
      `With both waits apart, crdshift is ${number(speedIn(turns, "inTree"), 2)} times as fast as the cluster's own engine.`,
      "",
      ...table(
        ["beside them", "seconds"],
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
          [`crdshift, dry run of ${number(checked, 0)} objects, four requests each`, number(dryRun.seconds, 1)],
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
      name: "crdshift's speed, in that of the cluster's own engine from creation to Succeeded",
      value: ownEngine,
      relation: ">=",
      bound: 2.2,
    },
    { name: "crdshift's speed, in that of kubectl replace", value: speedIn(turns, "kubectlReplace"), relation: ">=", bound: 2.2 },
    { name: "crdshift's speed, in that of the bare loop", value: speedIn(turns, "bareLoop"), relation: ">=", bound: 0.9 },
    { name: "second run over the same objects, in bare lists", value: inBareLists, relation: "<=", bound: 3 },
    { name: "growth of the server's RSS during a run, MB", value: Math.max(...growth), relation: "<", bound: 60 },
    { name: "growth of the server's RSS from a tenth to all of the dry run, MB", value: dryRun.rssGrowthMb, relation: "<", bound: 30 },
  ];
}

// How many times as fast crdshift was, settling apart. Of medians, not of rounds: in one round two engines may go opposite ways.
function speedIn(turns: EngineRounds["turns"], name: EngineName, taken = ({ seconds }: MeasuredTurn) => seconds): number {
  return median(turns[name].map(taken)) / median(turns.crdshift.map(({ seconds }) => seconds));
}
