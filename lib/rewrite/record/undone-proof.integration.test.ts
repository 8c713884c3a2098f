import { expect } from "vitest";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import { runsHere } from "#lib/rewrite/run/running.ts";
import { faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { untilRecorded } from "./record-action.ts";

// Without isProofUndone (finish-run.ts) the proof is recorded, and holds once the resourceVersions pass it.
faultTest("a run that verified its objects just before etcd was restored records no proof", async (bench) => {
  const { connection, proxy, stale, start } = bench;
  const definition = await stale(3);
  // As an API server answers whose etcd is back at an earlier resourceVersion.
  const body = JSON.stringify({
    kind: "PartialObjectMetadataList",
    apiVersion: "meta.k8s.io/v1",
    metadata: { resourceVersion: "1" },
    items: [],
  });
  const asked = proxy.inject(({ method, path }) => method === "GET" && path.endsWith("/customresourcedefinitions?limit=1"), {
    ...{ kind: "answer" as const, status: 200 },
    body,
  });
  const { id } = await start(definition, { acceptUnseen: true });
  await expect.poll(() => runsHere()).toEqual([]);
  expect(asked.hits()).toBe(1);
  expect(await readRecord(definition)).toMatchObject({ proof: null, runs: [{ id, endedAt: null }] });
  await untilRecorded();
  const { items } = await readHistory(connection, definition.name, soon());
  expect(items[0]).toMatchObject({ kind: "failed", message: expect.stringContaining("etcd was restored") });
});
