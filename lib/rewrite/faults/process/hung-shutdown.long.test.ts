import { expect } from "vitest";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";

const ENDS_WITHIN_MS = 15_000;

// With one wait after the other (run-rewrite.ts), ten seconds for the end and ten for what was found, the pod is killed before the end.
faultTest(
  "a shutdown while the API server hangs is over within 15 s, also if a write that got no answer disproves a proof",
  async (bench) => {
    const definition = await bench.stale(5);
    expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
    const patched = bench.proxy.hold(patchOf(definition), "before");
    const { id } = await bench.start(definition, { verify: "every-object" });
    await patched.reached;
    const hung = bench.proxy.hold(() => true, "before", Number.POSITIVE_INFINITY);
    const begunAt = performance.now();
    await stopAllRuns();
    expect(performance.now() - begunAt).toBeLessThan(ENDS_WITHIN_MS);
    patched.release();
    hung.release();
    expect(await bench.run(definition, id)).toMatchObject({ id });
  },
);
