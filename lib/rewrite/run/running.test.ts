import { expect, test, vi } from "vitest";
import { sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import { keepRunning, requireIdFor, stopRunning, untilBegun, whileBeginning } from "./running.ts";
import { StopRun } from "./stop-run.ts";

vi.mock("node:timers/promises", () => ({ setTimeout: async () => undefined }));

const counts = (rewritten: number) => ({ total: 9, rewritten, alreadyCurrent: 0, gone: 0, rejected: 0, remaining: 9 - rewritten });

// Where it says "any object" of each, a person takes what an earlier process of the run has changed for unchanged.
test.each([
  [0, false, "before it changes any object."],
  [3, false, "before it changes any more objects."],
  [0, true, "before it changes any more objects."],
])(
  "a run that hangs as it begins, with %i objects rewritten before, says what its cancellation keeps",
  async (rewritten, atLeast, words) => {
    const written = Promise.withResolvers<void>();
    const run = sampleRun({ id: `begins-${rewritten}-${atLeast}`, counts: counts(rewritten), rewrittenAtLeast: atLeast });
    const begun = whileBeginning({ audience: "here", crd: run.crd }, (beginning) => {
      beginning.run = run;
      return written.promise;
    });
    await expect(untilBegun(run.id, new StopRun("cancelled", "Cancelled."))).rejects.toMatchObject({
      ...{ code: "cluster_timeout", message: expect.stringContaining(words) },
    });
    written.resolve();
    await begun;
  },
);

// The later of two that began at once took the other's place: nobody could pause or cancel that any more, and a cancellation met both.
test("no run begins whose id is that of another definition's run, beginning or begun", async () => {
  const run = sampleRun({ id: "copied" });
  const written = Promise.withResolvers<void>();
  const begun = whileBeginning({ audience: "here", crd: run.crd }, (beginning) => {
    beginning.run = run;
    return written.promise;
  });
  const copied = () => requireIdFor(`other.${run.crd}`, run.id);
  expect(copied).toThrow("A rewrite of another definition has the same id");
  expect(() => requireIdFor(run.crd, run.id)).not.toThrow();
  written.resolve();
  await begun;
  expect(copied).not.toThrow();
  const control = {
    audience: "here",
    pacer: createPacer(null),
    current: () => run,
    publish: () => run,
    noteReason: () => {},
    ending: false,
  };
  keepRunning(run.id, control, (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())));
  expect(copied).toThrow("A rewrite of another definition has the same id");
  expect(() => requireIdFor(run.crd, run.id)).not.toThrow();
  await stopRunning(run.id, new StopRun("cancelled", "Cancelled."));
  expect(copied).not.toThrow();
});
