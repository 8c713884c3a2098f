import { expect } from "vitest";
import { findDryRun } from "#lib/rewrite/dry-run/dry-runs.ts";
import { startDryRun } from "#lib/rewrite/dry-run/start-dry-run.ts";
import { faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

// Without follow and whyVoid (start-dry-run.ts) it ends as one that found nothing lost, though some objects were judged by another schema.
faultTest("a dry run whose definition changes ends as failed, and says so", async (bench) => {
  const { connection, proxy } = bench;
  const definition = await bench.stale(3);
  const isTry = ({ method, path }: { method: string; path: string }) => method === "PATCH" && path.includes(`${definition.plural}/`);
  const held = proxy.hold((request) => isTry(request) && request.path.includes("dryRun"), "before");
  const { id } = await startDryRun(connection, definition.name, { signal: soon() });
  await held.reached;
  await definition.setVersions([{ name: "v1", storage: true, properties: { size: { type: "integer" } } }, { name: "v1beta1" }]);
  held.release();
  const known = findDryRun(connection.audience, definition.name, id);
  await known.ended;
  expect(known.current).toMatchObject({
    ...{ phase: "failed", lossesKnown: false },
    message: expect.stringMatching(/^The definition changed while the dry run was running: its spec changed .*\. Repeat the dry run\.$/),
  });
});
