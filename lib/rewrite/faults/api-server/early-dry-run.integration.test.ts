import { expect, onTestFinished, vi } from "vitest";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const OBJECTS = 4;
const SETTLE_SECONDS = 15;
const text = { type: "string" };
const both = { note: text, color: text };
const versions = (storage: string, v1: Record<string, object>) => [
  { name: "v1", storage: storage === "v1", properties: v1 },
  { name: "v1beta1", storage: storage === "v1beta1", properties: both },
];

// An API server that doesn't know yet that v1 has lost the color shows it there, so nothing is dropped. Without `settled` (dry-run-record.ts) the
// run believes that after the settle wait, deletes the color of each object, and ends as proven.
faultTest("what an API server that lags behind told a dry run is looked at again after the settle wait", async (bench) => {
  // Longer than the dry run takes, which has to end before the definition has settled.
  vi.stubEnv("CRDSHIFT_SETTLE_SECONDS", String(SETTLE_SECONDS));
  onTestFinished(() => void vi.unstubAllEnvs());
  const { cluster, connection, proxy } = bench;
  const definition = await bench.stale(OBJECTS, {
    spec: () => ({ note: "n", color: "precious" }),
    versions: { before: versions("v1beta1", both), after: versions("v1", { note: text }) },
  });
  const isOfObject = ({ path }: { path: string }) => path.startsWith(definition.path("v1", { name: "widget-" }));
  const withColor = (body: string) => body.replace('"note":"n"', '"color":"precious","note":"n"');
  const lagging = proxy.inject(isOfObject, { kind: "edit", change: withColor });
  const { id } = await startRewrite(connection, definition.name, { settleSeconds: SETTLE_SECONDS, signal: soon() });
  await expect.poll(async () => (await bench.run(definition, id)).statusReason ?? "", { interval: 20 }).toContain("slow request");
  expect(lagging.hits()).toBeGreaterThanOrEqual(OBJECTS);
  lagging.stop();
  const counts = { rewritten: 0, rejected: OBJECTS };
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "unproven", counts, rejections: [{ reason: "WouldLose" }] });
  const stored = [...(await definition.storedValues(cluster.etcd)).values()];
  expect(stored.filter((value) => value.text.includes("precious"))).toHaveLength(OBJECTS);
});
