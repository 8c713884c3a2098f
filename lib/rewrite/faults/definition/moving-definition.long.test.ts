import { describe, expect } from "vitest";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { RENEW_EVERY_MS } from "#lib/domain/rewrite/run.ts";
import { createDefinition, objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { controlOf } from "#lib/rewrite/run/running.ts";
import { type FaultBench, faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";

const OBJECTS = 60;
const watches: Match = ({ path }) => path.startsWith("/apis/apiextensions.k8s.io/") && path.includes("watch=1");

/** With its watch, a run learns of a change at once, even while its requests hang; without it, when it renews or proves. */
for (const { watching, how } of [
  { watching: true, how: "that the watch tells of" },
  { watching: false, how: "that no watch tells of" },
]) {
  describe(`a change ${how}`, () => {
    // Without stopWhenChanged (run-rewrite.ts), it learns of it only at its next renewal; without identityChange (rewrite.ts), it ends proven.
    faultTest("the storage version flipped back mid-run: the run fails, proves nothing, and nothing can be pruned", async (bench) => {
      const { stale, flip, endOf } = bench;
      const definition = await stale(OBJECTS);
      const before = await specsOf(bench, definition);
      const { id, release } = await startAndHold(bench, definition, watching);
      await flip(definition, beforeFlip);
      const flippedAt = performance.now();
      if (!watching) release();
      const end = await endOf(definition, id);
      if (watching) expect(performance.now() - flippedAt).toBeLessThan(RENEW_EVERY_MS / 2);
      expect(end.phase).toBe("failed");
      expect(end.statusReason).toMatch(/definition('s spec)? changed (during the rewrite|meanwhile)/);
      await expectNothingProven(bench, definition);
      expect(await specsOf(bench, definition)).toEqual(before);
    });

    // Without ownRecord and identityChange (update-held.ts) the new definition gets the run's record.
    faultTest(
      "the definition deleted and created again mid-run: the new one, its objects and its storedVersions are left alone",
      async (bench) => {
        const { api, cluster, stale } = bench;
        const definition = await stale(OBJECTS);
        const { id, release } = await startAndHold(bench, definition, watching);
        await definition.remove();
        await definition.untilGone();
        const again = await createDefinition(api, beforeFlip, { group: definition.group });
        await again.createObjects("v1beta1", 40);
        const before = await again.storedValues(cluster.etcd);
        release();
        await expect.poll(() => controlOf({ crd: definition.name, id }), { timeout: 30_000, interval: 20 }).toBeNull();
        expect(await again.storedValues(cluster.etcd)).toEqual(before);
        const { metadata, status } = await again.read();
        expect(metadata.annotations?.["crdshift.dev/rewrite"]).toBeUndefined();
        expect(status.storedVersions).toEqual(["v1beta1"]);
      },
    );

    // Without the two meanings of 404 (classify-failure.ts) its objects count as gone, and the run is proven.
    faultTest("the storage version unserved mid-run: the run stops, counts nothing as gone, and no field is lost", async (bench) => {
      const { stale, endOf } = bench;
      const definition = await stale(OBJECTS);
      const before = await specsOf(bench, definition);
      const { id, release } = await startAndHold(bench, definition, watching);
      await definition.setVersions([{ name: "v1", storage: true, served: false }, { name: "v1beta1" }]);
      await expect
        .poll(() =>
          bench.api.get(definition.path("v1", { name: objectName(0) })).then(
            () => "served",
            () => "not served",
          ),
        )
        .toBe("not served");
      if (!watching) release();
      const end = await endOf(definition, id);
      expect(end).toMatchObject({ phase: "failed", counts: { gone: 0, rejected: 0 } });
      await expectNothingProven(bench, definition);
      expect(await specsOf(bench, definition)).toEqual(before);
    });
  });
}

/** Starts a rewrite and holds all its patches before they reach the API server. */
async function startAndHold({ proxy, start }: FaultBench, definition: SampleDefinition, watching: boolean) {
  if (!watching) proxy.inject(watches, { kind: "hang" });
  const { reached, release } = proxy.hold(patchOf(definition), "before", Number.POSITIVE_INFINITY);
  const { id } = await start(definition, { acceptUnseen: true });
  await reached;
  return { id, release };
}

async function expectNothingProven({ connection }: FaultBench, definition: SampleDefinition): Promise<void> {
  const stored = (await definition.read()).status.storedVersions;
  expect(stored.toSorted()).toEqual(["v1", "v1beta1"]);
  await expect.poll(async () => (await readDetail(connection, definition.name, soon())).proof).toBeNull();
  await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toMatchObject({
    code: "precondition_failed",
  });
  expect((await definition.read()).status.storedVersions).toEqual(stored);
}

/** What each object says, whatever version it is stored at. */
async function specsOf({ cluster }: FaultBench, definition: SampleDefinition): Promise<Map<string, string>> {
  const values = await definition.storedValues(cluster.etcd);
  return new Map([...values].map(([name, { specText, metadata }]) => [name, `${metadata.uid} ${specText}`]));
}
