import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { sleep } from "#lib/async/sleep.ts";
import { type ContextToChoose, chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { type Churn, churnDefinitions } from "#lib/cluster/testing/churn-definitions.ts";
import { compactEtcd } from "#lib/cluster/testing/compact-etcd.ts";
import { seededRandom, testSeed } from "#lib/cluster/testing/seeded-random.ts";
import type { TcpProxy } from "#lib/cluster/testing/start-tcp-proxy.ts";
import { tcpProxy } from "#lib/cluster/testing/tcp-proxy.ts";
import type { CrdList, CrdSummary } from "#lib/contract/definition/crd.ts";
import { type ApiClient, apiClient } from "#lib/local-cluster/api-client.ts";
import { type LocalCluster, startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { lookAtCluster, type Onlooker } from "#lib/server/testing/look-at-cluster.ts";
import { startDashboard } from "#lib/server/testing/start-dashboard.ts";

const DURATION_MS = 10 * 60_000;
const ROUND_MS = 20_000;
const REFUSED_MS = 5_000;
const EQUAL_WITHIN_MS = 40_000;
const CHANGES_A_ROUND = 10;
/** For changes that the test itself makes, without a promised deadline. */
const PATIENT = { timeout: 60_000 };
const WITHOUT_CACHE = "without-watch-cache";
const MOST_SOCKETS = 20;
const seed = testSeed();

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

interface Comparable {
  uid: string;
  generation: number;
  storedVersions: string[];
  versions: { name: string; served: boolean; storage: boolean; deprecated?: boolean }[];
}

interface DefinitionJson {
  metadata: Pick<Comparable, "uid" | "generation"> & { name: string };
  spec: Pick<Comparable, "versions">;
  status: Pick<Comparable, "storedVersions">;
}

/** A cluster that crdshift reaches only through a proxy, with a client that watches it there. */
interface Followed {
  name: string;
  cluster: LocalCluster;
  api: ApiClient;
  proxy: TcpProxy;
  churn: Churn;
  onlooker: Onlooker;
  /** What crdshift gave as up to date, and was not. */
  outdated: string[];
}

// With its cache an API server remembers changes for longer than this takes, and may be behind it; without, for as long as etcd does.
const kinds = [
  { name: "with-watch-cache", apiServerArgs: [] },
  { name: WITHOUT_CACHE, apiServerArgs: ["--watch-cache=false"] },
];

// Without isExpired (follow-crds.ts) or the removal in onList (start-fleet.ts) what crdshift gives never equals the list again; where a watch
// counts as accepted once it is open (follow-crds.ts), crdshift passes for up to date while it is not.
test("ten minutes of resets and compaction leave what crdshift gives equal to a fresh list, and its sockets and memory bounded", async () => {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const prepared = await Promise.all(kinds.map((kind) => prepare(kind, stop.signal)));
  const [first] = prepared;
  if (!first) throw new Error("There is no cluster.");
  await chooseContexts(first.cluster, ...(await Promise.all(prepared.map(contextOf))));
  const dashboard = await startDashboard({});
  onTestFinished(() => void dashboard.stop("SIGKILL"));
  const followed = await Promise.all(prepared.map((one) => follow(one, dashboard.url, stop.signal)));

  const until = performance.now() + DURATION_MS;
  const memory = sampleMemory(dashboard.pid, stop.signal);
  const refusals = await Promise.all(followed.map((one, index) => trouble(one, seededRandom(seed + index), until)));

  const [before, after] = [median(memory.slice(memory.length / 3, (memory.length / 3) * 2)), median(memory.slice((memory.length / 3) * 2))];
  console.log(`memory: ${before.toFixed(0)} MB in the second third, ${after.toFixed(0)} MB in the last`);
  for (const [index, { name, churn, proxy, onlooker }] of followed.entries()) {
    const forgotten = onlooker.statuses.flatMap(({ message }, index) => (message?.includes("no longer knows what changed") ? [index] : []));
    console.log(
      `${name}: ${churn.changes()} changes, ${proxy.opened()} connections, at most ${proxy.mostOpen()} at one time, listed again ${forgotten.length} times`,
    );
    // It was out of date until then, without a moment in between.
    expect(forgotten.map((index) => onlooker.statuses[index - 1]?.stale)).not.toContain(false);
    if (name === WITHOUT_CACHE) expect(forgotten.length, "expired watches").toBeGreaterThan((refusals[index] ?? 0) / 2);
    expect(proxy.mostOpen(), "sockets").toBeLessThanOrEqual(MOST_SOCKETS);
  }
  expect(after - before, "growth of the memory in MB").toBeLessThan(Math.max(20, before / 10));
  expect(await dashboard.stop()).toBe(0);
});

async function prepare({ name, apiServerArgs }: (typeof kinds)[number], signal: AbortSignal) {
  const cluster = await startLocalCluster({ apiServerArgs });
  onTestFinished(() => cluster.stop());
  const api = apiClient(cluster);
  onTestFinished(api.close);
  const proxy = await tcpProxy(cluster.server);
  const churn = await churnDefinitions(api, seededRandom(seed), signal);
  return { name, cluster, api, proxy, churn };
}

async function contextOf({ name, cluster, proxy }: Omit<Followed, "onlooker" | "outdated">): Promise<ContextToChoose> {
  return { name, server: proxy.server, token: cluster.token, authority: await readFile(cluster.caFile, "utf8") };
}

async function follow(prepared: Omit<Followed, "onlooker" | "outdated">, url: string, signal: AbortSignal): Promise<Followed> {
  const outdated: string[] = [];
  const onList = ({ items, stale }: CrdList, askedAt: number) => {
    if (stale) return;
    const given = new Map(items.map(({ name, generation }) => [name, generation]));
    for (const [name, generation] of prepared.churn.generationsAt(askedAt - EQUAL_WITHIN_MS)) {
      const seen = given.get(name);
      if (seen === undefined || seen < generation) outdated.push(`${name}: generation ${generation}, given ${seen} as up to date`);
    }
  };
  const onlooker = await lookAtCluster(`${url}/api/clusters/${prepared.name}`, { signal, onList });
  return { ...prepared, onlooker, outdated };
}

/** Cuts the connections every 20 seconds while definitions change, and looks each time if crdshift catches up. Returns the refusals. */
async function trouble(one: Followed, random: () => number, until: number): Promise<number> {
  let refusals = 0;
  for (let round = 1; performance.now() < until; round += 1) {
    const [startedAt, changed] = [performance.now(), one.churn.changes()];
    await expect.poll(one.churn.changes, PATIENT).toBeGreaterThanOrEqual(changed + CHANGES_A_ROUND);
    await compactEtcd(one.cluster.etcd);
    if (round % 3 === 0) {
      await refuse(one);
      refusals += 1;
    } else one.proxy.reset();
    const cutEndedAt = performance.now();
    await pass(random() * 5_000);
    await one.churn.pause();
    await expectEqual(one, cutEndedAt + EQUAL_WITHIN_MS);
    one.churn.resume();
    expect(one.onlooker.problems).toEqual([]);
    expect(one.outdated).toEqual([]);
    await pass(startedAt + ROUND_MS - performance.now());
  }
  return refusals;
}

/** Five seconds, or longer, in which crdshift reaches nothing, and after which the watch's resourceVersion is forgotten. */
async function refuse({ cluster, proxy, churn, onlooker }: Followed): Promise<void> {
  const [told, changed, cutAt, startedAt] = [onlooker.statuses.length, churn.changes(), Date.now(), performance.now()];
  const isStale = ({ stale }: { stale: boolean }) => stale;
  const firstStale = () => onlooker.statuses.slice(told).findIndex(isStale);
  proxy.cut({ refuse: true });
  await expect.poll(() => onlooker.list().stale, { message: "stale" }).toBe(true);
  await expect.poll(firstStale, { message: "told that it is stale" }).toBeGreaterThanOrEqual(0);
  const since = told + firstStale();
  const status = onlooker.statuses[since];
  expect(status).toMatchObject({ message: expect.stringContaining("can't be reached") });
  expect(Date.parse(status?.since ?? "")).toBeGreaterThanOrEqual(cutAt);
  await expect.poll(churn.changes, PATIENT).toBeGreaterThan(changed + 2);
  await compactEtcd(cluster.etcd);
  await pass(startedAt + REFUSED_MS - performance.now());
  expect(onlooker.list().stale).toBe(true);
  expect(onlooker.statuses.slice(since).every(isStale)).toBe(true);
  proxy.cut({ refuse: false });
}

async function expectEqual({ name, api, onlooker }: Followed, deadline: number): Promise<void> {
  const difference = async () => {
    const { items } = await api.list<DefinitionJson>(DEFINITIONS);
    const { items: given, stale } = onlooker.list();
    if (stale) return "crdshift says that it is out of date";
    return differs(items, given, "GET crds") ?? differs(items, onlooker.folded(), "the events") ?? "equal";
  };
  await expect.poll(difference, { timeout: deadline - performance.now(), interval: 500, message: name }).toBe("equal");
}

/** The first definition that is not the same in both, or null. */
function differs(listed: DefinitionJson[], given: CrdSummary[], by: string): string | null {
  const wanted = new Map(listed.map(({ metadata, spec, status }) => [metadata.name, comparable({ ...metadata, ...spec, ...status })]));
  const known = new Map(given.map((crd) => [crd.name, comparable(crd)]));
  for (const name of new Set([...wanted.keys(), ...known.keys()])) {
    if (wanted.get(name) !== known.get(name)) return `by ${by} ${name} is ${known.get(name)}, and it is ${wanted.get(name)}`;
  }
  return null;
}

function comparable({ uid, generation, storedVersions, versions }: Comparable): string {
  const flags = versions.map(({ name, served, storage, deprecated = false }) => ({ name, served, storage, deprecated }));
  return JSON.stringify({ uid, generation, storedVersions, versions: flags.toSorted((a, b) => (a.name < b.name ? -1 : 1)) });
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

async function pass(ms: number): Promise<void> {
  await sleep(Math.max(0, ms), AbortSignal.timeout(2 * ROUND_MS));
}

const EVERY_MS = 1_000;

/** Samples a process's memory every second, until the signal aborts or the process ends. The samples are in MB, in order. */
function sampleMemory(pid: number, signal: AbortSignal): readonly number[] {
  const samples: number[] = [];
  const status = `/proc/${pid}/status`;
  const interval = setInterval(() => {
    // The file is gone once the process has ended.
    const kib = existsSync(status) ? /VmRSS:\s+(\d+)/.exec(readFileSync(status, "utf8"))?.[1] : undefined;
    if (kib) samples.push(Number(kib) / 1_024);
  }, EVERY_MS);
  signal.addEventListener("abort", () => clearInterval(interval), { once: true });
  return samples;
}
