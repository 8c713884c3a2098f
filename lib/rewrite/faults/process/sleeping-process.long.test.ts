import { expect, onTestFinished, test, vi } from "vitest";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { workerCluster } from "#lib/local-cluster/testing/worker-cluster.ts";
import { type FaultBench, patchOf, recordOf, sentForObjectsOf, underFaults } from "#lib/rewrite/testing/bench/fault-test.ts";

const SLEPT_MS = 60_000;

interface Meanwhile {
  /** What happens to the object while the process sleeps with its patch on the way. */
  what: string;
  act(bench: FaultBench, path: string): Promise<unknown>;
  counts: object;
}

// Without whenReleased (patch-object.ts, and request-for-object.ts for a deleted one) the object is read before the record is renewed.
test.each<Meanwhile>([
  { what: "moved", act: ({ api }, path) => api.mergePatch(path, { metadata: { labels: { moved: "yes" } } }), counts: { rejected: 0 } },
  { what: "deleted", act: ({ api }, path) => api.delete(path), counts: { gone: 1 } },
])("a process that slept while an object was $what looks at its record before it looks at the object", async ({ act, counts }) => {
  await underFaults(workerCluster(), async (bench) => {
    const { stale, proxy, start, endOf } = bench;
    const definition: SampleDefinition = await stale(1);
    const patch = proxy.hold(patchOf(definition), "before");
    const { id } = await start(definition, { acceptUnseen: true });
    await patch.reached;
    await act(bench, definition.path("v1", { name: objectName(0) }));
    const renewal = proxy.hold(recordOf(definition, id), "before");
    const now = Date.now;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + SLEPT_MS);
    onTestFinished(() => clock.mockRestore());
    const before = proxy.seen.length;
    patch.release();
    await renewal.reached;
    const sent = proxy.seen.slice(before).filter(sentForObjectsOf(definition));
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    clock.mockRestore();
    renewal.release();
    expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts });
  });
});
