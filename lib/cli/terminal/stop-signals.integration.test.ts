import { beforeAll, expect } from "vitest";
import { buildCli, type CliProcess, linesOf, runCli, startCli } from "#lib/cli/testing/run-cli.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { writeContexts } from "#lib/cluster/testing/choose-contexts.ts";
import type { FaultProxy, Match } from "#lib/cluster/testing/fault-proxy.ts";
import { runSchema } from "#lib/contract/rewrite/run.ts";
import { latestRun } from "#lib/domain/record/rewrite-record.ts";
import type { KubernetesObject } from "#lib/local-cluster/api-client.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import type { TestCluster } from "#lib/local-cluster/testing/vitest-global-setup.ts";
import { faultTest, patchOf, recordOf, statusWriteOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

beforeAll(buildCli);

/** A command line rewrite that can't finish because one of its patches is held. */
async function held(bench: { cluster: TestCluster; proxy: FaultProxy }, definition: SampleDefinition): Promise<CliProcess> {
  const KUBECONFIG = await writeContexts(bench.cluster, { name: "cli", server: bench.proxy.server });
  const patch = bench.proxy.hold(patchOf(definition), "before");
  const cli = startCli(["rewrite", definition.name, "-o", "json"], { KUBECONFIG });
  const ended = cli.exited.then(() => Promise.reject(new Error(`It ended: ${cli.stdout()}${cli.stderr()}`)));
  await Promise.race([patch.reached, ended]);
  ended.catch(() => {});
  return cli;
}

// Tried again, because a second is short where other tests have the cores.
faultTest(
  "Ctrl-C cancels within a second and says so",
  async ({ stale: make, ...rest }) => {
    const definition = await make(20);
    const cli = await held(rest, definition);
    const pressedAt = performance.now();
    cli.signal("SIGINT");
    expect(await cli.exited).toBe(130);
    expect(performance.now() - pressedAt).toBeLessThan(1_000);
    const run = runSchema.parse(JSON.parse(cli.stdout()));
    expect(run).toMatchObject({ phase: "cancelled", command: null });
    expect(linesOf(cli.stderr())).toContainEqual({ event: "notice", data: { message: expect.stringContaining("Cancelling") } });
    expect(await rest.run(definition, run.id)).toMatchObject({ phase: "cancelled" });
  },
  { retry: 2 },
);

faultTest("Ctrl-C on a slow cluster waits until the end and its Event are written", async ({ stale: make, ...rest }) => {
  const definition = await make(20);
  const cli = await held(rest, definition);
  // Longer than the 0.8 s that a shutdown allows for the record.
  const farewell = rest.proxy.inject(recordOf(definition, "cancelled"), { kind: "delay", ms: 1_500 });
  cli.signal("SIGINT");
  expect(await cli.exited).toBe(130);
  expect(farewell.hits()).toBe(1);
  const { uid } = (await definition.read()).metadata;
  const { items } = await rest.api.list<KubernetesObject & { reason: string }>(
    `/api/v1/namespaces/default/events?fieldSelector=involvedObject.uid=${uid}`,
  );
  expect(items.map(({ reason }) => reason).toSorted()).toEqual(["RewriteCancelled", "RewriteStarted"]);
});

faultTest("a second Ctrl-C does not wait for the end to be written", async ({ stale: make, ...rest }) => {
  const definition = await make(20);
  const cli = await held(rest, definition);
  const farewell = rest.proxy.hold(recordOf(definition, "cancelled"), "before");
  cli.signal("SIGINT");
  await farewell.reached;
  const hasEnded = async () => {
    cli.signal("SIGINT");
    return (await Promise.race([cli.exited, null])) === 130;
  };
  await expect.poll(hasEnded, { interval: 50 }).toBe(true);
  expect(linesOf(cli.stderr()).at(-1)).toEqual({
    event: "notice",
    data: { message: expect.stringMatching(/interrupted within 45 s.*--resume/) },
  });
  const { crd } = await readCrd(rest.connection, definition.name, soon());
  expect(latestRun(crd, Date.now())?.endedAt).toBeNull();
});

faultTest("SIGTERM leaves a rewrite that can be resumed", async ({ stale: make, ...rest }) => {
  const definition = await make(20);
  const cli = await held(rest, definition);
  cli.signal("SIGTERM");
  expect(await cli.exited).toBe(143);
  expect(runSchema.parse(JSON.parse(cli.stdout()))).toMatchObject({ phase: "interrupted" });

  const resumed = await runCli(["rewrite", definition.name, "--resume", "-o", "json"], { KUBECONFIG: rest.cluster.kubeconfig });
  expect(runSchema.parse(JSON.parse(resumed.stdout))).toMatchObject({ phase: "succeeded" });
  expect(resumed.code).toBe(0);
  expect(await rest.storedAs(definition)).toEqual({ v1: 20 });
  expect(await runCli(["rewrite", definition.name, "--resume"], { KUBECONFIG: rest.cluster.kubeconfig })).toMatchObject({
    code: 8,
    stderr: expect.stringContaining("nothing to resume"),
  });
});

faultTest(
  "Ctrl-C while a prune is being undone: the command says what happened, or warns that it may have gone through and how to check",
  async ({ define, cluster, proxy }) => {
    const versions = [{ name: "v1", storage: true }, { name: "v1beta1" }];
    const [seen, unseen] = [await define(versions), await define(versions)];
    const KUBECONFIG = await writeContexts(cluster, { name: "cli", server: proxy.server });
    const interrupted = async (definition: SampleDefinition, onReached: () => void) => {
      const write = proxy.hold(statusWriteOf(definition), "after");
      const cli = startCli(["undo-prune", definition.name, "v1", "v1beta1"], { KUBECONFIG });
      await write.reached;
      onReached();
      cli.signal("SIGINT");
      return { code: await cli.exited, told: cli.stderr(), stdout: cli.stdout() };
    };
    expect(await interrupted(seen, () => {})).toMatchObject({ code: 0, stdout: expect.stringMatching(/is now .*v1beta1/) });

    const isRead: Match = ({ method, path }) => method === "GET" && path.endsWith(`/customresourcedefinitions/${unseen.name}`);
    const { code, told } = await interrupted(unseen, () => proxy.inject(isRead, { kind: "reset", when: "before" }));
    expect(code).toBe(130);
    expect(told).toContain(`The undo-prune may have gone through. Check with: crdshift status ${unseen.name}`);
    for (const definition of [seen, unseen]) expect((await definition.read()).status.storedVersions).toContain("v1beta1");
  },
);
