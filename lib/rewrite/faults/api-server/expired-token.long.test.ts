import { expect, onTestFinished, test } from "vitest";
import { compactEtcd } from "#lib/cluster/testing/compact-etcd.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { listOf, underFaults } from "#lib/rewrite/testing/bench/fault-test.ts";

const OBJECTS = 1_600;

/** Its lists go on from etcd's history, as they do where the API server's own memory of the list has gone. */
async function ownCluster() {
  const own = await startLocalCluster({ apiServerArgs: ["--feature-gates=ListFromCacheSnapshot=false"] });
  onTestFinished(own.stop);
  return own;
}

for (const { offered, how } of [
  { offered: true, how: "goes on with the server's inconsistent token" },
  { offered: false, how: "lists again where the server offers none, and counts nothing twice" },
]) {
  // Without the 410 in object-pages.ts, the run fails. Without the restart in rewrite-objects.ts, or if it forgets requests in progress,
  // the counts exceed the objects.
  test(`a continue token that expires mid-run: ${how}`, async () => {
    await underFaults(await ownCluster(), async ({ cluster, stale, proxy, start, endOf, storedAs }) => {
      const definition = await stale(OBJECTS);
      const goesOn: Match = (request) => listOf(definition)(request) && request.path.includes("continue=");
      if (!offered) proxy.inject(goesOn, { kind: "edit", change: withoutToken });
      const second = proxy.hold(goesOn, "before");
      const { id } = await start(definition, { acceptUnseen: true });
      await second.reached;
      // The list's own revision is kept until something newer is there.
      await expect.poll(() => storedAs(definition), { timeout: 20_000 }).toHaveProperty("v1");
      await compactEtcd(cluster.etcd);
      second.release();
      const run = await endOf(definition, id);
      const lists = proxy.seen.filter(listOf(definition));
      expect(lists.filter(({ status }) => status === 410)).toHaveLength(1);
      const counts = { total: OBJECTS, rewritten: OBJECTS, alreadyCurrent: 0, gone: 0, rejected: 0, remaining: 0 };
      expect(run).toMatchObject({ phase: "succeeded", counts, rewrittenAtLeast: false });
      expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
    });
  });
}

/** The answer as it was, but for the token that a 410 offers. */
function withoutToken(body: string): string {
  const { metadata, ...rest } = JSON.parse(body) as { code?: number; metadata: object };
  return rest.code === 410 ? JSON.stringify({ ...rest, metadata: {} }) : body;
}
