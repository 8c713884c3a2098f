import { expect } from "vitest";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { type FaultBench, faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

// A dry run whose losses were unknown only because something failed then. Without asksAnew (accept-losses.ts) every later start is refused
// until someone accepts losses unseen.

const OBJECTS = 3;
const properties = { size: { type: "integer" } };
/** Versions with unlike schemas, so that a dry run looks at both. */
const versionsAt = (storage: string): SampleVersion[] => [
  { name: "v1", storage: storage === "v1", properties },
  { name: "v1beta1", storage: storage === "v1beta1", properties: { ...properties, note: { type: "string" } } },
];
const versions = { before: versionsAt("v1beta1"), after: versionsAt("v1") };

const readAtOldVersion =
  (definition: SampleDefinition, name: string): Match =>
  ({ method, path }) =>
    method === "GET" && path.startsWith(`/apis/${definition.group}/v1beta1/`) && path.includes(`/${name}`);

/** The object looks as if another client wrote it between any two requests. */
function keepChanging({ proxy }: FaultBench, definition: SampleDefinition) {
  const change = (body: string) => body.replace(/"resourceVersion":"\d+"/, '"resourceVersion":"1"');
  return proxy.inject(readAtOldVersion(definition, objectName(0)), { kind: "edit", change });
}

faultTest("a rewrite makes a new dry run where the recorded one didn't know the losses of a busy object", async (bench) => {
  const definition = await bench.stale(OBJECTS, { versions });
  const busy = keepChanging(bench, definition);
  const tried = await bench.dryRun(definition);
  expect(tried).toMatchObject({
    lossesKnown: false,
    unknownMayPass: true,
    lossesUnknownBecause: expect.stringContaining("it kept changing"),
  });
  busy.stop();
  const run = await bench.rewrite(definition);
  expect(run).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS }, acceptedLosses: null });
  expect(run.dryRun).not.toBe(tried.id);
});

faultTest("a rewrite whose new dry run doesn't know them either is held back, and says why", async (bench) => {
  const definition = await bench.stale(OBJECTS, { versions });
  keepChanging(bench, definition);
  await bench.dryRun(definition);
  expect(await bench.rewrite(definition)).toMatchObject({
    ...{ phase: "unproven", counts: { rewritten: 0 } },
    heldBackBecause: expect.stringMatching(/^It rewrote nothing: crdshift can't tell what would be lost.*it kept changing/),
  });
  expect((await readRecord(definition)).dryRun).toMatchObject({ lossesKnown: false, unknownMayPass: true });
  expect(await bench.rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded", acceptedLosses: { unseen: true } });
});

faultTest("a rewrite makes a new dry run where the API server failed for an object in the recorded one", async (bench) => {
  const definition = await bench.stale(OBJECTS, { versions });
  const body = JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    reason: "InternalError",
    message: "boom",
    code: 500,
  });
  const failing = bench.proxy.inject(readAtOldVersion(definition, objectName(0)), {
    ...{ kind: "answer", status: 500, headers: { "content-type": "application/json" }, body },
  });
  expect(await bench.dryRun(definition)).toMatchObject({ lossesKnown: false, unknownMayPass: true });
  failing.stop();
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS }, acceptedLosses: null });
});
