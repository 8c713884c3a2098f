import { beforeAll, expect } from "vitest";
import { buildCli, runCli, startCli } from "#lib/cli/testing/run-cli.ts";
import { writeContexts } from "#lib/cluster/testing/choose-contexts.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { SUPERSEDED } from "#lib/domain/rewrite/run-verdict.ts";
import { type FaultBench, faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { holdElsewhere } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

beforeAll(buildCli);

const OBJECTS = 20;
const ofDefinitions = (path: string) => path.startsWith("/apis/apiextensions.k8s.io/v1/customresourcedefinitions");
const isWatch: Match = ({ path }) => ofDefinitions(path) && path.includes("watch=1");
const isLook: Match = ({ path, headers }) => ofDefinitions(path) && headers.accept?.includes("PartialObjectMetadata") === true;

/** How a stopped rewrite ends that is woken once another command has taken over, and pruned. Only its renewal tells it. */
async function woken(bench: FaultBench, takeOver: readonly string[], env: Record<string, string> = {}) {
  const { api, cluster, proxy, stale, storedAs } = bench;
  const definition = await stale(OBJECTS);
  proxy.inject(isWatch, { kind: "hang" });
  const slowly = ["rewrite", definition.name, "--accept-unseen", "--max-per-second", "2"];
  const first = startCli(slowly, { KUBECONFIG: await writeContexts(cluster, { name: "first", server: proxy.server }) });
  await expect.poll(async () => (await storedAs(definition)).v1 ?? 0, { timeout: 30_000, interval: 50 }).toBeGreaterThan(2);
  first.signal("SIGSTOP");
  // As if that had been long ago.
  await holdElsewhere(api, definition, { renewedAt: new Date(Date.now() - 60_000).toISOString() });
  const second = { KUBECONFIG: cluster.kubeconfig, ...env };
  expect(await runCli(["rewrite", definition.name, ...takeOver, "--accept-unseen"], second)).toMatchObject({ code: 0 });
  expect(await runCli(["prune", definition.name, "--confirm", definition.name], second)).toMatchObject({ code: 0 });
  proxy.inject(isLook, { kind: "reset", when: "before" });
  first.signal("SIGCONT");
  return { code: await first.exited, stdout: first.stdout() };
}

// Without isSuperseded (rewrite.ts) it offers to resume, although all objects are proven and the old version is pruned, and exits with 12.
faultTest("a rewrite that wakes after a newer one says that it is superseded, and offers no resumption", async (bench) => {
  const otherKey = { CRDSHIFT_SESSION_KEYS: Buffer.alloc(32, 7).toString("base64") };
  const { code, stdout } = await woken(bench, [], otherKey);
  expect(stdout).toContain(SUPERSEDED);
  expect(stdout).not.toContain("--resume");
  expect(code).toBe(7);
});

// Without reading the definition again (afterwards in rewrite.ts) it tells of the run as it was before it was stopped.
faultTest("a rewrite that wakes after another command has finished it tells how it ended", async (bench) => {
  const { code, stdout } = await woken(bench, ["--resume"]);
  expect(stdout).toMatch(new RegExp(`All ${OBJECTS} objects .*are stored as v1`));
  expect(stdout).toContain("nothing to prune");
  expect(code).toBe(0);
});
