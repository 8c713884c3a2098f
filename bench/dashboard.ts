import { chromium } from "playwright";
import { sleep } from "#lib/async/sleep.ts";
import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import type { Pace } from "#lib/domain/rewrite/pace.ts";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";
import { readEvents } from "#lib/server/testing/read-events.ts";
import { type BrowserCookie, signInBrowser } from "#lib/server/testing/sign-in-browser.ts";
import { startDashboard } from "#lib/server/testing/start-dashboard.ts";
import type { BenchCluster } from "./bench-cluster.ts";
import { startMeter, type Usage } from "./meter.ts";

export interface Rewriting {
  losses?: "accepted" | "defaults";
  pace?: Pace;
}

/** crdshift as a separate process, driven over HTTP. */
export interface BenchDashboard {
  /** The page and the API of the cluster. */
  page: string;
  api: string;
  pid: number;
  /** The cookies that sign a browser in. */
  signIn(): Promise<BrowserCookie[]>;
  /** Opens the fleet, which makes the server watch the cluster, as any visit does. */
  open(): Promise<void>;
  /**
   * A full rewrite with verification, from the click to the end that a client sees; the settle time is separate. Losses are accepted, so no
   * dry run comes first; with the defaults, one does.
   */
  rewrite(crd: string, how?: Rewriting): Promise<{ run: Run; seconds: number; settledSeconds: number; usage: Usage }>;
  /** A dry run over this many objects. `rssGrowthMb` is from a tenth of them to the end: the growth with their number. */
  dryRun(crd: string, objects: number): Promise<{ dryRun: DryRun; seconds: number; rssGrowthMb: number }>;
  stop(): Promise<unknown>;
}

const GIVE_UP_MS = 30 * 60_000;
const POLL_MS = 250;

/** Starts the built app without a settle wait: the bench itself waits after a flip, and there are no other writers. */
export async function startBenchDashboard({ kubeconfig, context }: BenchCluster): Promise<BenchDashboard> {
  const { url, pid, output, stop } = await startDashboard({ KUBECONFIG: kubeconfig, CRDSHIFT_SETTLE_SECONDS: "0" });
  const path = `clusters/${encodeURIComponent(context)}`;
  const api = `${url}/api/${path}`;
  return {
    ...{ api, pid, stop: () => stop() },
    page: `${url}/${path}`,
    signIn: () => signInBrowser({ url, output }),
    async open() {
      await json(`${api}/crds`);
    },
    async rewrite(crd, { losses = "accepted", pace = "normal" } = {}) {
      const events = await openRunEvents(`${api}/events`);
      const meter = startMeter(pid);
      const startedAt = performance.now();
      const { id } = await post<{ id: string }>(`${api}/crds/${crd}/rewrites`, {
        pace,
        ...(losses === "accepted" && { acceptUnseen: true }),
      });
      const run = await events.endOf(id);
      const seconds = (performance.now() - startedAt) / 1_000;
      const usage = meter.stop();
      events.close();
      if (run.phase !== "succeeded") throw new Error(`The rewrite ended ${run.phase}: ${run.statusReason}`);
      // A settle point from an earlier run is older than this run.
      const settledSeconds = Math.max(0, run.settledAt ? (Date.parse(run.settledAt) - Date.parse(run.startedAt)) / 1_000 : 0);
      return { run, seconds: seconds - settledSeconds, settledSeconds, usage };
    },
    async dryRun(crd, objects) {
      const startedAt = performance.now();
      const { id } = await post<{ id: string }>(`${api}/crds/${crd}/dry-runs`, { sampleSize: objects });
      const read = () => json<DryRun>(`${api}/crds/${crd}/dry-runs/${id}`);
      const ended = ({ phase }: DryRun) => phase !== "running";
      const begin = startMeter(pid);
      await until(read, (dryRun) => ended(dryRun) || dryRun.dryRun.checked >= objects / 10);
      const before = begin.stop().peakRssMb;
      const rest = startMeter(pid);
      const dryRun = await until(read, ended);
      const rssGrowthMb = Math.max(0, rest.stop().peakRssMb - before);
      if (dryRun.phase !== "succeeded") throw new Error(`The dry run ended ${dryRun.phase}: ${dryRun.message}`);
      return { dryRun, seconds: (performance.now() - startedAt) / 1_000, rssGrowthMb };
    },
  };
}

async function until<Answer>(read: () => Promise<Answer>, isOver: (answer: Answer) => boolean): Promise<Answer> {
  const deadline = AbortSignal.timeout(GIVE_UP_MS);
  for (;;) {
    const answer = await read();
    if (isOver(answer)) return answer;
    await sleep(POLL_MS, deadline);
  }
}

function post<Answer>(url: string, body: object): Promise<Answer> {
  return json<Answer>(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

async function json<Answer>(url: string, init?: RequestInit): Promise<Answer> {
  const response = await askDashboard(url, init);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** The dashboard's event stream, open as in a browser that shows a run. */
interface RunEvents {
  /** The run once it has ended. */
  endOf(id: string): Promise<Run>;
  close(): void;
}

const EVENTS_GIVE_UP_MS = 30 * 60_000;

/** Opens the event stream of a cluster; returns once it is ready. */
async function openRunEvents(url: string): Promise<RunEvents> {
  const closing = new AbortController();
  const events = readEvents(url, AbortSignal.any([closing.signal, AbortSignal.timeout(EVENTS_GIVE_UP_MS)]));
  await events.next();
  return {
    async endOf(id) {
      for await (const { event, data } of events) if (event === "run" && data.id === id && data.endedAt !== null) return data;
      throw new Error(`${url} ended before the run ${id} did.`);
    },
    close: () => closing.abort(),
  };
}

export interface FirstRow {
  /** From opening the page to the first definition on screen, a new browser profile each. */
  seconds: number[];
  browserVersion: string;
}

const TIMEOUT_MS = 60_000;

/** Opens the fleet so many times in a real Chromium. */
export async function measureFirstRow({ page, signIn }: BenchDashboard, times: number): Promise<FirstRow> {
  const cookies = await signIn();
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const seconds: number[] = [];
    for (let time = 0; time < times; time += 1) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      await context.addCookies(cookies);
      const tab = await context.newPage();
      const startedAt = performance.now();
      await tab.goto(page, { waitUntil: "commit", timeout: TIMEOUT_MS });
      // Rows of the skeleton hold no links.
      await tab.locator("[data-row-index]").first().waitFor({ timeout: TIMEOUT_MS });
      seconds.push((performance.now() - startedAt) / 1_000);
      await context.close();
    }
    return { seconds, browserVersion: browser.version() };
  } finally {
    await browser.close();
  }
}
