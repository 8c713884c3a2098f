import { expect } from "vitest";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { type FaultBench, faultTest, listOf } from "#lib/rewrite/testing/bench/fault-test.ts";

const OBJECTS = 60;
const CHANGED = 5;

/** The second page of a run's or dry run's list continues as the API server offers once a token has expired, after `change`. */
function continueInconsistently({ proxy }: Pick<FaultBench, "proxy">, definition: SampleDefinition, change: () => Promise<void>) {
  const nextPage: Match = (request) => {
    return listOf(definition)(request) && request.path.includes("continue=") && (request.headers["user-agent"]?.includes("run=") ?? false);
  };
  let expired = "";
  const edited = proxy.inject(nextPage, { kind: "edit", status: 410, change: () => expired }, 1);
  const page = proxy.hold(nextPage, "before", 1);
  const changing = (async () => {
    const { path } = await page.reached;
    const token = new URL(path, "https://localhost").searchParams.get("continue") ?? "";
    // apiserver/pkg/storage/continue.go.
    const position: object = JSON.parse(Buffer.from(token, "base64url").toString());
    const inconsistent = Buffer.from(JSON.stringify({ ...position, rv: -1 })).toString("base64url");
    const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Expired", code: 410 };
    expired = JSON.stringify({ ...status, metadata: { continue: inconsistent } });
    await change();
    page.release();
  })();
  return { hits: () => edited.hits(), changing };
}

// Without the number of listed objects (staleObjects in rewrite-objects.ts) the run succeeds with 5 objects remaining.
faultTest("a list that continues inconsistently after deletions: nothing remains", async (bench) => {
  const { api, stale, start, endOf } = bench;
  const definition = await stale(OBJECTS);
  const { hits, changing } = continueInconsistently(bench, definition, async () => {
    for (let index = OBJECTS - CHANGED; index < OBJECTS; index += 1) await api.delete(definition.path("v1", { name: objectName(index) }));
  });
  const { id } = await start(definition, { acceptUnseen: true });
  await changing;
  const counts = { total: OBJECTS - CHANGED, rewritten: OBJECTS - CHANGED, gone: 0, remaining: 0 };
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts });
  expect(hits()).toBe(1);
});

// Without the number of listed objects (chosenObjects in dry-run-objects.ts) the dry run claims to have tried all, and the rewrite deletes
// the fields of those that it left out for the new ones, proven.
faultTest("a dry run whose list continues inconsistently after creations knows that it left objects out", async (bench) => {
  const text = { type: "string" };
  const definition = await bench.stale(OBJECTS, {
    spec: (index) => ({ note: "n", ...(index >= OBJECTS - CHANGED && { colour: "precious" }) }),
    versions: {
      before: [
        { name: "v1", properties: { note: text, colour: text } },
        { name: "v1beta1", storage: true, properties: { note: text, colour: text } },
      ],
      after: [
        { name: "v1", storage: true, properties: { note: text } },
        { name: "v1beta1", properties: { note: text, colour: text } },
      ],
    },
  });
  const { hits, changing } = continueInconsistently(bench, definition, async () => {
    for (const letter of "abcde") {
      const metadata = { name: `${objectName(OBJECTS - 11)}${letter}` };
      await bench.api.create(definition.path("v1", { name: "" }), { apiVersion: `${definition.group}/v1`, kind: "Widget", metadata });
    }
  });
  const dryRun = await bench.dryRun(definition, { sampleSize: OBJECTS });
  await changing;
  expect(hits()).toBe(1);
  expect(dryRun.dryRun).toMatchObject({ total: OBJECTS + CHANGED, checked: OBJECTS });
  // Which of them it left out is chance; those are checked before they are written.
  const run = await bench.rewrite(definition).catch((error: unknown) => error);
  expect(run).not.toMatchObject({ phase: "succeeded" });
  const stored = [...(await definition.storedValues(bench.cluster.etcd)).values()];
  expect(stored.filter(({ text }) => text.includes("precious"))).toHaveLength(CHANGED);
});

// Without OLDER_LIST (rewrite-objects.ts) the run proves what a cache in front of the API server showed it.
faultTest("a list from before the settle point proves nothing", async (bench) => {
  const definition = await bench.stale(OBJECTS);
  const older = (body: string) => body.replace(/"resourceVersion":"\d+"/, '"resourceVersion":"1"');
  const { hits } = bench.proxy.inject(listOf(definition), { kind: "edit", change: older });
  const end = await bench.rewrite(definition, { acceptUnseen: true });
  expect(end).toMatchObject({ phase: "failed", statusReason: expect.stringContaining("is older than the settle point") });
  expect(hits()).toBeGreaterThan(0);
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
});
