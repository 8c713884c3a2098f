import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Preflight } from "#lib/contract/preflight.ts";
import type { Run } from "#lib/contract/run.ts";
import { serverArguments } from "#lib/server/bootstrap/server-arguments.mjs";
import { WIDGETS } from "./widgets.ts";

/** The product itself, as a process of its own, driven over HTTP. */
export interface Dashboard {
  /** A whole rewrite. `seconds` is from the click to the end that a client sees, the settle wait apart. */
  rewrite(): Promise<{ run: Run; seconds: number; rssGrowthMb: number }>;
  /** A dry run over so many objects. `rssGrowthMb` is from a tenth of them to the end: what grows with their number. */
  dryRun(objects: number): Promise<{ preflight: Preflight; seconds: number; rssGrowthMb: number }>;
  stop(): Promise<void>;
}

/** Often while a short run may end, seldom during a long one: an answer costs the server a millisecond or two of the CPU. */
const pollMs = (elapsedMs: number) => (elapsedMs < 2_500 ? 25 : 250);

export async function startDashboard({ kubeconfig, context }: { kubeconfig: string; context: string }): Promise<Dashboard> {
  const child = spawn(process.execPath, serverArguments, {
    env: { ...process.env, KUBECONFIG: kubeconfig, CRDSHIFT_SETTLE_SECONDS: "2", PORT: "0", HOST: "127.0.0.1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await readUrl(child.stdout);
  const widgets = `${url}/api/clusters/${encodeURIComponent(context)}/crds/${WIDGETS.name}`;
  const rewrites = `${widgets}/rewrites`;
  const post = (body: object) => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  await json(`${url}/api/clusters/${encodeURIComponent(context)}/crds`);

  return {
    async rewrite() {
      const before = rssMb(child.pid);
      let peak = before;
      const startedAt = performance.now();
      const { id } = await json<{ id: string }>(rewrites, post({ acceptLosses: true }));
      let run: Run;
      do {
        await new Promise((resolve) => setTimeout(resolve, pollMs(performance.now() - startedAt)));
        peak = Math.max(peak, rssMb(child.pid));
        run = await json<Run>(`${rewrites}/${id}`);
      } while (run.endedAt === null);
      const waited = run.settledAt ? (Date.parse(run.settledAt) - Date.parse(run.startedAt)) / 1_000 : 0;
      if (run.phase !== "succeeded") throw new Error(`The rewrite ended ${run.phase}: ${run.pausedBecause}`);
      return { run, seconds: (performance.now() - startedAt) / 1_000 - waited, rssGrowthMb: peak - before };
    },
    async dryRun(objects) {
      const startedAt = performance.now();
      const { id } = await json<{ id: string }>(`${widgets}/preflights`, post({ sampleSize: objects }));
      let [warm, peak] = [0, 0];
      let preflight: Preflight;
      do {
        await new Promise((resolve) => setTimeout(resolve, 250));
        preflight = await json<Preflight>(`${widgets}/preflights/${id}`);
        const rss = rssMb(child.pid);
        if (preflight.dryRun.checked < objects / 10) warm = Math.max(warm, rss);
        peak = Math.max(peak, rss);
      } while (preflight.phase === "running");
      if (preflight.phase !== "succeeded") throw new Error(`The dry run ended ${preflight.phase}: ${preflight.message}`);
      return { preflight, seconds: (performance.now() - startedAt) / 1_000, rssGrowthMb: Math.max(0, peak - warm) };
    },
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function readUrl(stdout: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const url = /ready at (http:\S+)/.exec(line)?.[1];
    if (url) return url;
  }
  throw new Error("The dashboard did not start. Build it first: npx next build");
}

async function json<Answer>(url: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

function rssMb(pid: number | undefined): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) / 1_024;
}
