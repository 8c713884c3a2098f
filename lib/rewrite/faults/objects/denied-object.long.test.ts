import { expect } from "vitest";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";

const OBJECTS = 1_000;
const DENIED = objectName(0);

// Without the rejected among a pass's results (rewrite-objects.ts) the run ends proven with one object at v1beta1.
faultTest(
  "one object of 1,000 that a policy denies is named and keeps everything from being pruned, until it is allowed",
  async (bench) => {
    const { api, cluster, connection, proxy, stale, rewrite, storedAs } = bench;
    const definition = await stale(OBJECTS, { spec: (index) => ({ size: index, frozen: index === 0 }) });
    const policy = await denyUpdatesOfFrozen(api, definition);

    const blocked = await rewrite(definition, { acceptUnseen: true });
    expect(blocked).toMatchObject({
      phase: "unproven",
      counts: { total: OBJECTS, rewritten: OBJECTS - 1, alreadyCurrent: 0, gone: 0, rejected: 1, remaining: 0 },
      rejections: [
        { count: 1, message: expect.stringContaining(`${DENIED} is frozen`), examples: [{ namespace: "default", name: DENIED }] },
      ],
    });
    expect(await storedAs(definition)).toEqual({ v1: OBJECTS - 1, v1beta1: 1 });
    expect((await definition.storedValues(cluster.etcd)).get(DENIED)?.apiVersion).toBe(`${definition.group}/v1beta1`);
    const detail = await readDetail(connection, definition.name, soon());
    expect(detail).toMatchObject({ proof: null, state: "blocked" });
    const prune = () => pruneStoredVersions(connection, definition.name, definition.name, soon());
    await expect(prune()).rejects.toMatchObject({ code: "precondition_failed" });
    expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);

    await policy.lift();
    const patches = () => proxy.seen.filter(patchOf(definition)).length;
    const before = patches();
    const proven = await rewrite(definition, { acceptUnseen: true });
    expect(patches() - before).toBe(1);
    expect(proven).toMatchObject({
      phase: "succeeded",
      counts: { total: OBJECTS, rewritten: 1, alreadyCurrent: OBJECTS - 1, rejected: 0 },
    });
    expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
    await prune();
    expect((await definition.read()).status.storedVersions).toEqual(["v1"]);
  },
);
