import { connect } from "#lib/cluster/connection.ts";
import { chooseKubeconfig } from "#lib/env.ts";
import { apiClient } from "#lib/local-cluster/api-client.ts";
import { startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { bareList } from "./bare-list.ts";
import { bareLoop } from "./bare-loop.ts";
import { startDashboard } from "./dashboard.ts";
import { createWidgets, flipStorage } from "./widgets.ts";

/** `npm run bench [objects]`: crdshift against a bare loop of the same patches, alternating, on one local cluster. */
const count = Number(process.argv[2] ?? 20_000);
const bytes = 1_024;
const rounds = 3;
const dryRunObjects = 10_000;
/** The most that lib/rewrite/adaptive-limit.ts allows. */
const concurrency = 24;

const cluster = await startLocalCluster({ log: console.error });
const api = apiClient(cluster);
chooseKubeconfig(cluster.kubeconfig);
const connection = await connect(cluster.context);
const dashboard = await startDashboard(cluster);
try {
  console.error(`Creating ${count} objects of ${bytes} bytes …`);
  const definition = await createWidgets(api, { count, bytes });
  const dryRun = await dashboard.dryRun(Math.min(count, dryRunObjects));
  console.error(`dry run of ${dryRun.preflight.dryRun.checked} objects: ${dryRun.seconds.toFixed(1)} s`);
  const rows: { bare: number; crdshift: number; list: number; again: number; rssMb: number }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    // Storage is v1 here, and every object is stored as v1beta1 …
    const bare = await bareLoop(connection, { version: "v1", count, concurrency });
    // … and after the flip every object is stored as v1 and must become v1beta1.
    await flipStorage(definition, "v1beta1");
    const first = await dashboard.rewrite();
    const list = await bareList(connection, "v1beta1");
    const again = await dashboard.rewrite();
    if (first.run.counts.rewritten !== count || again.run.counts.alreadyCurrent !== count)
      throw new Error("Not every object was rewritten once.");
    rows.push({ bare, crdshift: first.seconds, list, again: again.seconds, rssMb: Math.max(first.rssGrowthMb, again.rssGrowthMb) });
    console.error(`round ${round}: bare ${bare.toFixed(1)} s, crdshift ${first.seconds.toFixed(1)} s`);
    await flipStorage(definition, "v1");
  }
  report(rows, dryRun);
} finally {
  await dashboard.stop();
  await cluster.stop();
}
process.exit(process.exitCode ?? 0);

function report(
  rows: { bare: number; crdshift: number; list: number; again: number; rssMb: number }[],
  dryRun: Awaited<ReturnType<typeof dashboard.dryRun>>,
): void {
  const rate = (seconds: number) => `${Math.round(count / seconds)} objects/s`;
  const checks = [
    check(
      "rate of the bare loop that crdshift reaches, verification included",
      median(rows.map((row) => row.bare / row.crdshift)),
      ">=",
      0.85,
    ),
    check("second run over the same objects, in bare lists", median(rows.map((row) => row.again / row.list)), "<=", 3),
    check(
      `growth of the server's RSS from a tenth to all of a dry run of ${dryRun.preflight.dryRun.checked} objects, MB`,
      dryRun.rssGrowthMb,
      "<",
      30,
    ),
    check("growth of the server's RSS during a run, MB", Math.max(...rows.map((row) => row.rssMb)), "<", 60),
  ];
  console.log(`${count} objects of ${bytes} bytes, concurrency ${concurrency}, ${rounds} rounds, medians (min … max)`);
  for (const [name, values] of [
    ["bare loop of the same patches", rows.map((row) => row.bare)],
    ["crdshift, whole rewrite without the settle wait", rows.map((row) => row.crdshift)],
    ["bare paged metadata list", rows.map((row) => row.list)],
    ["crdshift, second run", rows.map((row) => row.again)],
  ] as const) {
    console.log(
      `  ${name.padEnd(50)} ${median(values).toFixed(2)} s (${Math.min(...values).toFixed(2)} … ${Math.max(...values).toFixed(2)})  ${rate(median(values))}`,
    );
  }
  console.log(
    `  ${"dry run, four requests an object".padEnd(50)} ${dryRun.seconds.toFixed(2)} s  ${Math.round(dryRun.preflight.dryRun.checked / dryRun.seconds)} objects/s`,
  );
  for (const { line } of checks) console.log(`  ${line}`);
  if (checks.some(({ passed }) => !passed)) process.exitCode = 1;
}

function check(name: string, value: number, relation: ">=" | "<=" | "<", bound: number): { line: string; passed: boolean } {
  const passed = relation === ">=" ? value >= bound : relation === "<=" ? value <= bound : value < bound;
  return { line: `${passed ? "ok  " : "FAIL"} ${name}: ${value.toFixed(2)} (${relation} ${bound})`, passed };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
