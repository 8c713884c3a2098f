import { expect } from "vitest";
import { faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { keepsNote } from "#lib/rewrite/testing/webhooks/notes-policy.ts";
import { removeNotes } from "#lib/rewrite/testing/webhooks/remove-notes.ts";

const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
/** A run writes this many objects at a time. */
const WORKERS = 24;
const OBJECTS = 100;

// Without raised (unchecked-write.ts) the reading that tells of no webhook again is believed, and the end says nothing of the lost notes.
faultTest(
  "a webhook that is gone by the next reading takes nothing but from the writes under way, and the end tells how many",
  async ({ api, cluster, dryRun, endOf, proxy, stale, start }) => {
    const definition = await stale(OBJECTS, { spec: () => ({ note: "precious" }) });
    await dryRun(definition);
    const held = proxy.hold(patchOf(definition), "before", Number.POSITIVE_INFINITY);
    const { id } = await start(definition);
    await held.reached;
    const reading = proxy.hold(({ path }) => path.startsWith(CONFIGURATIONS), "before", Number.POSITIVE_INFINITY);
    await removeNotes(api, definition);
    held.release();
    await reading.reached;
    await api.mergePatch(`${CONFIGURATIONS}/${definition.name}`, { webhooks: [] });
    // The last object is written, or checked, after all others.
    await expect.poll(() => keepsNote(api, definition, OBJECTS - 1), { timeout: 30_000 }).toBe(true);
    // With its next renewal: were it killed now, whoever resumes it would write by that dry run. Without dryRunHeld (run-rewrite.ts) it stays.
    await expect.poll(async () => (await readRecord(definition)).dryRun, { timeout: 30_000 }).toBeNull();
    reading.release();
    const { statusReason } = await endOf(definition, id);
    const stored = [...(await definition.storedValues(cluster.etcd)).values()];
    const lost = stored.filter(({ text }) => !text.includes("precious")).length;
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThanOrEqual(WORKERS);
    expect(statusReason).toContain(`Something in admission changed ${lost} object`);
    expect(statusReason).toContain("may have lost fields. Compare them with a backup");
    // The next rewrite makes its own.
    expect((await readRecord(definition)).dryRun).toBeNull();
  },
  { timeout: 120_000 },
);
