import { expect, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import type { RunKey } from "./run-key.ts";
import { controlOf, isHere, keepRunning, stopRunning, untilBegun, usersOf, whileBeginning } from "./running.ts";
import { StopRun } from "./stop-run.ts";

vi.mock("node:timers/promises", () => ({ setTimeout: async () => undefined }));

const cluster = "https://a.example.com";
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
    const begun = whileBeginning({ audience: "here", cluster, person: "me", crd: run.crd }, (beginning) => {
      beginning.run = run;
      return written.promise;
    });
    await expect(untilBegun(run, new StopRun("cancelled", "Cancelled."))).rejects.toMatchObject({
      ...{ code: "cluster_timeout", message: expect.stringContaining(words) },
    });
    written.resolve();
    await begun;
  },
);

/** A run with this key, which runs here until it is stopped. */
function runs(key: RunKey, { audience = key.crd, person = key.crd } = {}) {
  const current = () => sampleRun({ id: key.id, crd: key.crd });
  const user = { connection: {} as Partial<Connection> as Connection, audience, cluster, person, uid: key.id };
  const control = {
    ...user,
    pacer: createPacer(null),
    current,
    publish: current,
    expectRecord: () => () => true,
    noteReason: () => {},
    ending: false,
  };
  keepRunning(key, control, (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())));
  return control;
}

const cancelled = () => new StopRun("cancelled", "Cancelled.");
const own: RunKey = { crd: "crontabs.example.com", id: "copied" };

// Without crd in runKeyText (run-key.ts), the later one takes the other's place: a command to the other one meets it.
test("a run and its copy at another definition are two runs", async () => {
  const copy: RunKey = { ...own, crd: "other.example.com" };
  const [mine, theirs] = [runs(own), runs(copy)];
  expect([controlOf(own), controlOf(copy)]).toEqual([mine, theirs]);
  expect([usersOf(own), usersOf(copy)]).toEqual([
    [{ audience: own.crd, cluster, uid: own.id }],
    [{ audience: copy.crd, cluster, uid: copy.id }],
  ]);
  await stopRunning(copy, cancelled());
  expect([isHere(own), isHere(copy)]).toEqual([true, false]);
  expect(controlOf(own)).toBe(mine);
  await stopRunning(own, cancelled());
  expect(isHere(own)).toBe(false);
});

test("a copy of a run that begins at another definition keeps nobody waiting, and isn't stopped with the run", async () => {
  const written = Promise.withResolvers<void>();
  let stop: StopRun | null = null;
  const begun = whileBeginning({ audience: "theirs", cluster, person: "them", crd: "other.example.com" }, async (beginning) => {
    beginning.run = sampleRun({ id: own.id, crd: "other.example.com" });
    await written.promise;
    stop = beginning.stop;
  });
  expect([isHere(own), usersOf(own)]).toEqual([false, []]);
  await untilBegun(own, cancelled());
  written.resolve();
  await begun;
  expect(stop).toBeNull();
});

// With any number of them, whoever starts a run with each of a hundred tokens has all definitions kept a hundred times.
test("the runs of one person use eight tokens at most, and each may start another", async () => {
  const theirs = Array.from({ length: 8 }, (_, index): RunKey => ({ crd: `of-${index}.example.com`, id: `of-${index}` }));
  for (const key of theirs) runs(key, { audience: `token of ${key.crd}`, person: "eve" });
  const begins = (audience: string, person: string) => whileBeginning({ audience, cluster, person, crd: "c" }, async () => "begun");
  await expect(begins("ninth", "eve")).rejects.toMatchObject({
    code: "too_many_requests",
    message: "Your rewrites use 8 tokens, which is the limit.",
  });
  expect(await begins("token of of-0.example.com", "eve")).toBe("begun");
  expect(await begins("ninth", "ada")).toBe("begun");
  await Promise.all(theirs.map((key) => stopRunning(key, cancelled())));
  expect(await begins("ninth", "eve")).toBe("begun");
});
