import { expect, test } from "vitest";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { workerCluster } from "#lib/local-cluster/testing/worker-cluster.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { past, patchOf, underFaults } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

// Without isWithdrawn (rewrite-objects.ts) the run does everything, and fails at its end because its settle point was withdrawn.
test("a run settles again where an object above the settle point is gone after a write without an answer", async () => {
  await underFaults(workerCluster(), async (bench) => {
    const definition = await bench.stale(10);
    const ofVerification = past(1, patchOf(definition, objectName(7)));
    const held = bench.proxy.hold(ofVerification, "before", 1);
    bench.proxy.inject(past(1, patchOf(definition, objectName(7))), { kind: "reset", when: "before" }, 1);
    const { id } = await bench.start(definition, { verify: "every-object" });
    await held.reached;
    await bench.api.delete(definition.path("v1", { name: objectName(7) }));
    held.release();
    expect(await bench.endOf(definition, id)).toMatchObject({
      phase: "succeeded",
      counts: { rewritten: 10, rejected: 0 },
      provenObjects: 9,
      rewrittenAtLeast: true,
    });
    const pruned = await pruneStoredVersions(bench.connection, definition.name, definition.name, soon());
    expect(pruned.storedVersions).toEqual(["v1"]);
  });
});
