import { expect } from "vitest";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { controlOf, stopAllRuns } from "#lib/rewrite/run/running.ts";
import { faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const RECORD = "crdshift.dev/rewrite";

// Without isOlder (own-record.ts) the run ends without a word, as if another crdshift had taken over. Without lost-runs.ts, the resumed run
// claims that the counts of the older record are exact.
faultTest(
  "an older record of a run that is put back while it works stops it, and an Event says so",
  async (bench) => {
    const { api, connection } = bench;
    const definition = await bench.stale(60);
    await bench.dryRun(definition);
    const { id } = await bench.start(definition, { maxPerSecond: 10 });
    await bench.rewritten(definition, id, 5);
    await stopAllRuns();
    const older = (await definition.read()).metadata.annotations?.[RECORD] ?? "";
    const resume = () => resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
    await resume();
    await bench.rewritten(definition, id, 30);
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`;
    await api.mergePatch(path, { metadata: { annotations: { [RECORD]: older } } });
    await expect.poll(() => controlOf({ crd: definition.name, id })).toBeNull();
    const told = async () => {
      const { items } = await readHistory(connection, definition.name, soon());
      return items.filter(({ kind }) => kind === "failed").map(({ message }) => message);
    };
    await expect
      .poll(told, { timeout: 10_000 })
      .toEqual([expect.stringContaining("The rewrite stopped. An older record of it was put back")]);
    await resume();
    const ended = await bench.endOf(definition, id);
    expect(ended).toMatchObject({ phase: "succeeded", rewrittenAtLeast: true, sent: { atLeast: true } });
    expect(await bench.storedAs(definition)).toEqual({ v1: 60 });
  },
  { timeout: 120_000 },
);
