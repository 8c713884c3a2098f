import { expect, test } from "vitest";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { canResume, runVerdict } from "#lib/domain/rewrite/run-verdict.ts";
import { stopRunning } from "#lib/rewrite/run/running.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { tellRun } from "#lib/rewrite/testing/bench/tell-run.ts";

const { connection, stale, start, rewrite, rewritten, run } = await openTestBench();
const tell = tellRun(connection);

// Without canResume (run-verdict.ts) the page of the older run offers to resume it, and is told that there is no such run.
test("an interrupted run is not to be resumed once a newer one has begun, and page and refusals say why", async () => {
  const definition = await stale(20);
  const { id } = await start(definition, { acceptUnseen: true, maxPerSecond: 10 });
  await rewritten(definition, id, 5);
  await stopRunning({ crd: definition.name, id }, new StopRun("interrupted", "crdshift was shut down."));
  const interrupted = await run(definition, id);
  const newest = async () => (await readDetail(connection, definition.name, soon())).run?.id ?? null;
  expect(canResume(interrupted, await newest())).toBe(true);
  expect(runVerdict(interrupted, await newest())?.sentence).toMatch(/Resume continues where it stopped\.$/);

  const newer = await rewrite(definition, { acceptUnseen: true });
  expect([newer.phase, await newest()]).toEqual(["succeeded", newer.id]);
  const older = await run(definition, id);
  expect(canResume(older, newer.id)).toBe(false);
  expect(runVerdict(older, newer.id)?.sentence).toMatch(/A newer rewrite was started, so this one can't be resumed\.$/);
  const refusal = { code: "conflict", message: "A newer rewrite was started, so this one can't be resumed." };
  await expect(tell.resume(older)).rejects.toMatchObject(refusal);
  await expect(tell.cancel(older)).rejects.toMatchObject({ code: "conflict", message: "The rewrite has already ended: interrupted." });
});
