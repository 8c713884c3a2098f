import { expect, test } from "vitest";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { holdElsewhere, readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const { api, connection, rewrite, run, stale, start } = await openTestBench();

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

// Without the look at the holder (isHeldElsewhere in cancel-rewrite.ts) it says that the run has stopped and shows as interrupted soon.
test("a cancel says that another crdshift is running it, even if this one had not noticed yet", async () => {
  const definition = await stale(60);
  const { id } = await start(definition, { acceptUnseen: true, maxPerSecond: 5 });
  await expect.poll(async () => (await run(definition, id)).counts.rewritten, { timeout: 30_000 }).toBeGreaterThan(0);
  await holdElsewhere(api, definition, { phase: "rewriting", renewedAt: ago(0) });
  const before = await readRecord(definition);
  const cancel = () => cancelRewrite(connection, definition.name, id, soon());
  const refusal = { code: "conflict", message: "Another crdshift is running this rewrite.", details: { run: { id } } };
  await expect(cancel()).rejects.toMatchObject(refusal);
  await expect(cancel()).rejects.toMatchObject(refusal);
  expect(await readRecord(definition)).toEqual(before);
});

// Without notSilentYet (resume-rewrite.ts) only a paused or an interrupted run is said to be resumable.
test("a resume says when it will be possible if the holder was killed", async () => {
  const definition = await stale(1);
  const { id } = await rewrite(definition);
  const resume = () => resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
  await holdElsewhere(api, definition, { phase: "rewriting", endedAt: null, renewedAt: ago(15_000) });
  await expect(resume()).rejects.toMatchObject({
    code: "conflict",
    message: "The rewrite was last reported as rewriting.",
    nextStep: expect.stringMatching(/^You can resume it in (2\d|30) seconds, unless the crdshift that holds it reports again by then\.$/),
  });
  await holdElsewhere(api, definition, { renewedAt: ago(45_001) });
  await expect(resume()).resolves.toMatchObject({ id, phase: "settling", takenOverAt: expect.any(String), sent: { atLeast: true } });
});
