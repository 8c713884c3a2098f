import { expect, test, vi } from "vitest";
import { sampleRun } from "#lib/domain/definition/sample-crd.ts";
import { untilBegun, whileBeginning } from "./running.ts";
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
