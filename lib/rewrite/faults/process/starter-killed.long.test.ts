import { expect } from "vitest";
import { faultTest, past, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { SOON, startCrdshift } from "#lib/rewrite/testing/clusters/crdshift-process.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const OBJECTS = 60;
/** Objects that are done when the patches of the others begin to be held. */
const DONE = 20;

for (const starter of ["npm", "bootstrap"] as const) {
  // Without the channel (`tied` in start.mjs) or watchNpm (run.mjs) the server stays, with its port and its run.
  faultTest(`${starter} is killed -9 during a run: the server ends, and the run can be resumed at once`, async (bench) => {
    const { cluster, proxy, stale, storedAs } = bench;
    const first = await startCrdshift(cluster, proxy, { starter });
    const definition = await stale(OBJECTS);
    const patches = proxy.hold(past(DONE, patchOf(definition)), "before", Number.POSITIVE_INFINITY);
    const id = await first.start(definition, { acceptUnseen: true });
    await patches.reached;
    await expect.poll(async () => (await first.run(definition, id)).counts.rewritten, SOON).toBe(DONE);

    expect(await first.stop("SIGKILL")).toBeNull();
    const listens = () =>
      fetch(first.url).then(
        () => true,
        () => false,
      );
    await expect.poll(listens, SOON).toBe(false);
    const newest = async () => (await readRecord(definition)).runs[0];
    await expect.poll(newest, SOON).toMatchObject({ id, phase: "interrupted", counts: { rewritten: DONE } });
    expect(await readRecord(definition)).toMatchObject({ holder: null, proof: null });
    await expect.poll(first.output, SOON).toContain('"action":"interrupted"');

    const second = await startCrdshift(cluster, proxy);
    patches.release();
    await second.resume(definition, id);
    await expect.poll(async () => (await second.run(definition, id)).phase, SOON).toBe("succeeded");
    expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
  });
}
