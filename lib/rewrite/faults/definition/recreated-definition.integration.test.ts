import { expect } from "vitest";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { logActionsTo, untilRecorded } from "#lib/rewrite/record/record-action.ts";
import { controlOf } from "#lib/rewrite/run/running.ts";
import { faultTest, statusWriteOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { replaceDefinition } from "#lib/rewrite/testing/record/replace-definition.ts";

interface EventJson {
  involvedObject: { uid: string };
  message: string;
}

// Without the uid of the run's definition (tell-lost.ts) the new definition's History says that somebody removed its record.
faultTest("a definition deleted and created again mid-run: no Event about the new one, and the true cause about the old", async (bench) => {
  const { api, connection, proxy, stale, start, rewritten } = bench;
  const lines: string[] = [];
  logActionsTo((line) => lines.push(line));
  const definition = await stale(30);
  const { id } = await start(definition, { acceptUnseen: true, maxPerSecond: 1 });
  await rewritten(definition, id, 1);
  const { metadata: old } = await definition.read();
  // So that the run reads the definition only once it is the new one.
  const reads = proxy.hold(
    ({ method, path }) => method === "GET" && path.endsWith(`/customresourcedefinitions/${definition.name}`),
    "before",
    Number.POSITIVE_INFINITY,
  );
  await replaceDefinition(api, definition, { annotated: false });
  const { metadata: now } = await definition.read();
  reads.release();
  await expect.poll(() => controlOf({ crd: definition.name, id }), { timeout: 30_000 }).toBeNull();
  await untilRecorded();

  expect(now.uid).not.toBe(old.uid);
  const query = new URLSearchParams({ fieldSelector: `involvedObject.name=${definition.name},reason=RewriteFailed` });
  const { items } = await api.get<{ items: EventJson[] }>(`/api/v1/namespaces/default/events?${query}`);
  expect(items.map(({ involvedObject, message }) => [involvedObject.uid, message])).toEqual([
    [old.uid, expect.stringMatching(/^The rewrite stopped\. The definition was deleted/)],
  ]);
  expect(lines.filter((line) => line.includes('"failed"')).join()).toContain("The definition was deleted");
  expect((await readHistory(connection, definition.name, soon())).items).toEqual([]);
});

// Without the uid in decidePrune (prune-stored-versions.ts) the new definition gets a record with nothing in it.
faultTest("a prune that meets a definition created again writes nothing to it", async ({ api, connection, proxy, stale, rewrite }) => {
  const definition = await stale(3);
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  const held = proxy.hold(statusWriteOf(definition), "before", 1);
  const pruning = pruneStoredVersions(connection, definition.name, definition.name, soon());
  const refused = expect(pruning).rejects.toMatchObject({ code: "precondition_failed" });
  await held.reached;
  await replaceDefinition(api, definition, { annotated: false });
  held.release();
  await refused;
  expect((await definition.read()).metadata.annotations).toBeUndefined();
});
