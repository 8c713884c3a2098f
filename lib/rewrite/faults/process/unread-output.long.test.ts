import { expect } from "vitest";
import { faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { Refused, SOON, startCrdshift } from "#lib/rewrite/testing/clusters/crdshift-process.ts";

const OBJECTS = 20;

// Without outliveOutput (main.ts) Next logs the error of each line that can't be written, which can't be written either: the process has no
// time for anything else, and only SIGKILL ends it.
faultTest("whatever read crdshift's log is gone: it still answers, its run goes on, and it ends in order", async (bench) => {
  const { cluster, proxy, stale, storedAs } = bench;
  const crdshift = await startCrdshift(cluster, proxy);
  const definition = await stale(OBJECTS);
  const patches = proxy.hold(patchOf(definition), "before", Number.POSITIVE_INFINITY);
  const id = await crdshift.start(definition, { acceptUnseen: true });
  await patches.reached;
  crdshift.closeOutput();
  for (let round = 0; round < 3; round += 1) {
    const refused = Array.from({ length: 12 }, () => crdshift.start(definition).catch((error: unknown) => error));
    for (const error of await Promise.all(refused)) expect(error).toBeInstanceOf(Refused);
  }
  patches.release();
  await expect.poll(async () => (await crdshift.run(definition, id)).phase, SOON).toBe("succeeded");
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
  expect(await crdshift.stop()).toBe(0);
});
