import { describe, expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import {
  conversionWebhook,
  type ReviewedObject,
  reviewServer,
  sendJson,
  updateWebhook,
} from "#lib/rewrite/testing/webhooks/webhook-server.ts";

// With a conversion webhook, each write tests that it starts from what was read right before.

const bench = await openTestBench();
const integer = { type: "integer" };

/** Four objects, stored at v1beta1, that a webhook converts to v1, which has `added` properties. */
async function converted(
  properties: Record<string, object> | undefined,
  spec: object,
  convert: (object: ReviewedObject) => object = (object) => object,
  added: Record<string, object> = {},
) {
  const conversion = await conversionWebhook((object, apiVersion) => ({ ...object, ...convert(object), apiVersion }));
  const version = (name: string): SampleVersion => ({
    name,
    ...(properties && { properties: { ...properties, ...(name === "v1" && added) } }),
  });
  const definition = await bench.define([version("v1"), { ...version("v1beta1"), storage: true }]);
  await definition.createObjects("v1beta1", 4, (size) => ({ size, ...spec }));
  await bench.flip(definition, [{ ...version("v1"), storage: true }, version("v1beta1")], conversion);
  return definition;
}

const storesAll = async (definition: SampleDefinition, options: { acceptLosses?: boolean; acceptUnseen?: boolean } = {}) => {
  const run = await bench.rewrite(definition, options);
  expect(run).toMatchObject({ phase: "succeeded", counts: { rewritten: 4, rejected: 0 } });
  // Without isTested (custom-objects.ts, unconfirmed-writes.ts) its report tells other patches than it sent.
  expect(run.sent).toMatchObject({ tested: !options.acceptUnseen });
  expect(await bench.storedAs(definition)).toEqual({ v1: 4 });
};

// Tested as a whole (addTests in field-tests.ts) the API server ends the connection, and the object is rejected after minutes as unreachable.
test("a list with a null is rewritten", async () => {
  await storesAll(await converted(undefined, { list: [null, { deep: [1, null] }] }));
});

describe("what the webhook gives back differently each time", () => {
  // Without the second read (startFromRead in start-from-read.ts) no attempt ever finds what it tests.
  test.each([
    ["", {}],
    [", also with a new default", { tier: { type: "string", default: "gold" } }],
  ])("is rewritten if it is equivalent%s", async (_, added) => {
    const set = { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } };
    const tags = ["a", "b", "c", "d", "e", "f"];
    const shuffled = () => tags.map((tag) => ({ tag, at: Math.random() })).sort((one, other) => one.at - other.at);
    const convert = ({ spec }: ReviewedObject) => ({ spec: { ...spec, tags: shuffled().map(({ tag }) => tag) } });
    const definition = await converted({ size: integer, tags: set }, { tags }, convert, added);
    await storesAll(definition);
  });

  test("is rewritten if it is accepted, and nothing else", async () => {
    let calls = 0;
    const stamped = ({ metadata }: ReviewedObject) => {
      calls += 1;
      return { metadata: { ...metadata, annotations: { at: String(calls) } } };
    };
    const definition = await converted({ size: integer }, {}, stamped);
    expect(await bench.dryRun(definition)).toMatchObject({
      losses: expect.arrayContaining([expect.objectContaining({ path: "metadata.annotations.at" })]),
    });
    await storesAll(definition, { acceptLosses: true });
  });
});

// Taken for a failed test (mayHaveFailedTests in start-from-read.ts) it would be told as something that the API server's cache holds.
test("what admission says of a write is told, although no dry run shows it", async () => {
  const definition = await converted({ size: integer }, {});
  const { clientConfig } = await reviewServer(({ apiVersion, kind, request: { uid, object, dryRun } }, response) => {
    const allowed = dryRun === true || object?.metadata.name !== objectName(1);
    sendJson(response, {
      apiVersion,
      kind,
      response: { uid, allowed, ...(!allowed && { status: { code: 422, message: "it is frozen" } }) },
    });
  });
  await updateWebhook(bench.api, definition, clientConfig);
  const denied = () =>
    bench.api.mergePatch(definition.path("v1", { name: objectName(1) }), { metadata: { labels: { a: "b" } } }).then(String, String);
  await expect.poll(denied, { timeout: 30_000 }).toContain("frozen");
  expect(await bench.rewrite(definition)).toMatchObject({
    ...{ phase: "unproven", counts: { rewritten: 3, rejected: 1 } },
    rejections: [expect.objectContaining({ message: expect.stringContaining("it is frozen") })],
  });
});

// Sent all the same, it is refused for what the patch is, after the dry run has said that nothing is in its way.
test("what the API server can't compare is left alone, unless losses are accepted unseen", async () => {
  const definition = await converted(undefined, { list: Array.from({ length: 20_000 }, (_, index) => (index === 0 ? null : index)) });
  expect(await bench.rewrite(definition)).toMatchObject({
    ...{ phase: "unproven", counts: { rewritten: 0, rejected: 4 } },
    rejections: [expect.objectContaining({ reason: "LossUnknown", message: expect.stringContaining("too many fields") })],
  });
  await storesAll(definition, { acceptUnseen: true });

  // Proven to be stored at the storage version, it isn't converted: with tests (isCurrent in clean-objects.ts) it could never be cleaned.
  await pruneStoredVersions(bench.connection, definition.name, definition.name, soon());
  const { crd } = await readCrd(bench.connection, definition.name, soon());
  const cleanings = await Array.fromAsync(cleanManagedFields(bench.connection, crd, { versions: ["v1beta1"], dryRun: false }, soon()));
  expect(cleanings.at(-1)).toMatchObject({ complete: true, cleaned: 4, rejected: 0 });
});
