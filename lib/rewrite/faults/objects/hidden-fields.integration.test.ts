import { expect } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import type { Cleaning } from "#lib/contract/objects/managed-fields.ts";
import { crdIdentity } from "#lib/domain/rewrite/identity.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { type FaultBench, faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";
import { conversionWebhook } from "#lib/rewrite/testing/webhooks/webhook-server.ts";

// A field leaves the schemas of all served versions. Reads prune it, and etcd keeps it until something writes the object.

const OBJECTS = 5;
const size = { size: { type: "integer" } };
const both = { ...size, note: { type: "string" } };
const versions = (storage: string, properties: Record<string, object>): SampleVersion[] => [
  { name: "v1", storage: storage === "v1", properties },
  { name: "v1beta1", storage: storage === "v1beta1", properties },
];
/** v1 stores all; v1beta1, the old version, has these. */
const withOld = (properties: Record<string, object>): SampleVersion[] => [
  { name: "v1", storage: true, properties: both },
  { name: "v1beta1", properties },
];
const because = expect.stringMatching(
  /^The losses of 5 objects are unknown; the first is default\/widget-\d+: managedFields name spec\.note, but no served version's schema has it\./,
);

const withNotes = (bench: FaultBench, after: Record<string, object>) =>
  bench.stale(OBJECTS, {
    spec: (index) => ({ size: index, note: "precious" }),
    versions: { before: versions("v1beta1", both), after: versions("v1", after) },
  });

async function notes({ cluster }: FaultBench, definition: SampleDefinition): Promise<number> {
  return [...(await definition.storedValues(cluster.etcd)).values()].filter(({ text }) => text.includes("precious")).length;
}

async function clean({ connection }: FaultBench, definition: SampleDefinition): Promise<Cleaning | undefined> {
  const { crd } = await readCrd(connection, definition.name, soon());
  let last: Cleaning | undefined;
  for await (const now of cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, soon())) last = now;
  return last;
}

// Without hiddenIn (try-object.ts) the dry run says that nothing is lost, and the rewrite deletes the notes from etcd, proven.
faultTest(
  "a field that managedFields name and no schema has holds a rewrite back, and cleaning, until it is accepted unseen",
  async (bench) => {
    const definition = await withNotes(bench, size);
    expect(await bench.dryRun(definition)).toMatchObject({
      losses: [],
      lossesKnown: false,
      unknownMayPass: false,
      lossesUnknownBecause: because,
    });
    await expect(bench.start(definition)).rejects.toMatchObject({ code: "precondition_failed", details: { unknownBecause: because } });
    expect(await clean(bench, definition)).toMatchObject({ cleaned: 0, rejected: OBJECTS, rejections: [{ reason: "LossUnknown" }] });
    expect(await notes(bench, definition)).toBe(OBJECTS);

    const run = await bench.rewrite(definition, { acceptUnseen: true });
    expect(run).toMatchObject({ phase: "succeeded", acceptedLosses: { unseen: true }, counts: { rewritten: OBJECTS } });
    // Without mayHide (run-dry-run.ts, rewrite-object.ts, clean-objects.ts) each later one is held back by what is gone.
    expect(await bench.dryRun(definition)).toMatchObject({ lossesKnown: true });
    for (const options of [{}, { verify: "every-object" as const }]) {
      expect(await bench.rewrite(definition, options)).toMatchObject({ phase: "succeeded", acceptedLosses: null });
    }
    expect(await clean(bench, definition)).toMatchObject({ cleaned: OBJECTS, rejected: 0 });

    // Without fieldsOfSchema (managed-fields.ts) each later definition is held back by what is gone.
    await bench.flip(definition, versions("v1", { ...size, more: size.size }));
    expect(await bench.dryRun(definition)).toMatchObject({ lossesKnown: true });
  },
);

faultTest(
  "a field that leaves the schemas of objects that are proven holds the next rewrite back; put back, it is there",
  async (bench) => {
    const definition = await withNotes(bench, both);
    expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
    await bench.flip(definition, versions("v1", size));
    expect(await bench.rewrite(definition)).toMatchObject({ phase: "unproven", heldBackBecause: expect.stringContaining("spec.note") });
    expect(await notes(bench, definition)).toBe(OBJECTS);
    await bench.flip(definition, versions("v1", both));
    expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded", acceptedLosses: null });
    expect(await notes(bench, definition)).toBe(OBJECTS);
  },
);

// Without mayHideIn (end-of-write.ts) the note of that object is gone: anyone may have written the settle point, which says that it is current.
faultTest("a forged settle point doesn't hide it from what takes crdshift's own entry back", async (bench) => {
  const { api, connection, define, flip, dryRun, rewrite } = bench;
  const colour = { colour: { type: "string" } };
  const definition = await define(versions("v1beta1", { ...both, ...colour }));
  await definition.createObjects("v1beta1", OBJECTS, (index) => ({ size: index, note: "precious", ...(index === 0 && { colour: "red" }) }));
  const ownPath = `${definition.path("v1beta1", { name: objectName(1) })}?fieldManager=crdshift`;
  await api.mergePatch(ownPath, { metadata: { labels: { left: "yes" } } });
  await flip(definition, [
    { name: "v1", storage: true, properties: size },
    { name: "v1beta1", properties: { ...size, ...colour } },
  ]);
  const { id } = await dryRun(definition);
  const identity = crdIdentity((await readCrd(connection, definition.name, soon())).crd);
  if (!identity) throw new Error("It has no storage version.");
  const settlePoint = { ...identity, resourceVersion: "1", takenAt: new Date().toISOString(), settleSeconds: 65, signature: "AAAA" };
  await writeRecord(api, definition, { ...(await readRecord(definition)), settlePoint });
  const run = await rewrite(definition, { acceptLosses: true, dryRun: id });
  expect(await notes(bench, definition)).toBe(OBJECTS);
  expect(run).toMatchObject({ phase: "unproven", counts: { rewritten: 0, rejected: OBJECTS }, rejections: [{ reason: "LossUnknown" }] });
});

// Without hiddenBy (hidden-fields.ts) the dry run says that nothing is lost: the API server prunes by the schema of the version in etcd.
faultTest("a field that only the schema of the stored version lost holds a rewrite back; put back there, it is kept", async (bench) => {
  const definition = await bench.stale(OBJECTS, {
    spec: (index) => ({ size: index, note: "precious" }),
    versions: { before: versions("v1beta1", both), after: withOld(size) },
  });
  const hidden = expect.stringContaining("the schema of v1beta1, at which the object may be stored, hides it");
  expect(await bench.dryRun(definition)).toMatchObject({ losses: [], lossesKnown: false, lossesUnknownBecause: hidden });
  await bench.flip(definition, withOld(both));
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded", acceptedLosses: null });
  expect(await notes(bench, definition)).toBe(OBJECTS);
});

// Without visitMetadata (hidden-fields.ts) the dry run says that nothing is lost: of an embedded resource, reads show only valid metadata.
faultTest("metadata that a schema turned into an embedded resource's hold a rewrite back; turned back, they are kept", async (bench) => {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const embedded = { ...open, "x-kubernetes-embedded-resource": true };
  const metadata = { name: "p", note: "precious", labels: { a: 1 } };
  const definition = await bench.stale(OBJECTS, {
    spec: () => ({ template: { apiVersion: "v1", kind: "Pod", metadata } }),
    versions: { before: versions("v1beta1", { template: open }), after: versions("v1", { template: embedded }) },
  });
  const hidden = expect.stringMatching(/managedFields name spec\.template\.metadata\.(note|labels).* as an embedded resource/);
  expect(await bench.dryRun(definition)).toMatchObject({ losses: [], lossesKnown: false, lossesUnknownBecause: hidden });
  await expect(bench.start(definition)).rejects.toMatchObject({ code: "precondition_failed" });
  await bench.flip(definition, versions("v1", { template: open }));
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded", acceptedLosses: null });
  expect(await notes(bench, definition)).toBe(OBJECTS);
});

// Without isWrittenWithout (hidden-fields.ts) a webhook hides the loss: the API server prunes before it calls it, so it never sees the field.
faultTest("a field that only the schema of the stored version lost holds a rewrite back, although a webhook converts", async (bench) => {
  const conversion = await conversionWebhook((object, apiVersion) => ({ ...object, apiVersion }));
  const definition = await bench.stale(OBJECTS, {
    spec: (index) => ({ size: index, note: "precious" }),
    versions: { before: versions("v1beta1", both), after: withOld(size) },
    conversion,
  });
  const hidden = expect.stringContaining("the schema of v1beta1, at which the object may be stored, hides it");
  expect(await bench.dryRun(definition)).toMatchObject({ losses: [], lossesKnown: false, lossesUnknownBecause: hidden });
  await expect(bench.start(definition)).rejects.toMatchObject({ code: "precondition_failed" });
  await bench.flip(definition, withOld(both), conversion);
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded", acceptedLosses: null });
  expect(await notes(bench, definition)).toBe(OBJECTS);
});
