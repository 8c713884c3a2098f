import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { inLongAnswersTurn } from "#lib/cluster/transport/long-answers.ts";
import { OBJECT_MAX_BYTES } from "#lib/cluster/transport/whole-answer.ts";
import { UnreadableJson } from "#lib/domain/exact-json/exact-json.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import {
  dryRunManagedFieldsText,
  dryRunRewrite,
  OBJECT_AS_METADATA,
  readObject,
  readObjectMetadata,
  readObjectMetadataText,
  readObjectText,
  replaceManagedFields,
  rewriteObject,
} from "./custom-objects.ts";
import { readCustomObject } from "./read-custom-object.ts";

const object = { namespace: "default", name: "large" };
const options = { signal: AbortSignal.timeout(60_000) };
const change = { resourceVersion: "1", managedFields: [] };
const metadata = { ...object, resourceVersion: "7", uid: "u", managedFields: [{ manager: "m", operation: "Update" }] };
const whole = (spec: unknown) => JSON.stringify({ metadata, spec });

const requests: Record<string, (to: Connection) => Promise<unknown>> = {
  "a read": (to) => readObject(to, sampleCrd(), "v1", object, options),
  "a read as text": (to) => readObjectText(to, sampleCrd(), "v1", object, options),
  "a read of the metadata": (to) => readObjectMetadata(to, sampleCrd(), "v1", object, options),
  "a read of the metadata as text": (to) => readObjectMetadataText(to, sampleCrd(), "v1", object, options),
  "a dry run": (to) => dryRunRewrite(to, sampleCrd(), "v1", object, options),
  "a rewrite": (to) => rewriteObject(to, sampleCrd(), "v1", object, options),
  "a dry run of managedFields": (to) => dryRunManagedFieldsText(to, sampleCrd(), "v1", object, change, options),
  "a change of managedFields": (to) => replaceManagedFields(to, sampleCrd(), "v1", object, change, options),
};

test.each(Object.keys(requests))("%s takes an answer of 3 MiB about one object, and none that is longer", async (title) => {
  const shortest = whole("").length;
  const answering = (bytes: number) => connectionTo("large", (_, response) => void response.end(whole("x".repeat(bytes - shortest))));
  await expect(requests[title]?.(await answering(OBJECT_MAX_BYTES))).resolves.toBeTruthy();
  await expect(requests[title]?.(await answering(OBJECT_MAX_BYTES + 1))).rejects.toMatchObject({
    message: expect.stringMatching(/^The answer to (GET|PATCH) \/apis\/\S+\/large is larger than 3 MiB, so crdshift doesn't read it\.$/),
    nextStep: expect.stringContaining("a schema's defaults"),
  });
});

test.each(["a read", "a dry run", "a change of managedFields"])(
  "%s parses no object of more than 250,000 keys and values",
  async (title) => {
    const to = await connectionTo("many", (_, response) => void response.end(whole(Array(250_000).fill(0))));
    await expect(requests[title]?.(to)).rejects.toThrow(new UnreadableJson("TooManyValues"));
  },
);

test("of an object that is too large to read, its page has the metadata, and no text", async () => {
  const to = await connectionTo("large", (request, response) => {
    response.end(request.headers.accept === OBJECT_AS_METADATA ? JSON.stringify({ metadata }) : whole("x".repeat(OBJECT_MAX_BYTES)));
  });
  expect(await readCustomObject(to, sampleCrd(), object, { version: "v1", ...options })).toMatchObject({
    ...{ text: null, resourceVersion: "7", uid: "u", version: "v1" },
    managedFields: [{ manager: "m" }],
  });
});

test("an object whose metadata alone is too large to read has no page", async () => {
  const to = await connectionTo("large", (_, response) => void response.end(whole("x".repeat(OBJECT_MAX_BYTES))));
  const reading = readCustomObject(to, sampleCrd(), object, { version: "v1", ...options });
  await expect(reading).rejects.toMatchObject({ code: "cluster_rejected", message: expect.stringContaining("3 MiB") });
});

// All that arrive at once would otherwise be worked on in one turn of the event loop.
test("a large object's page waits for its turn among long answers", async () => {
  const to = await connectionTo("turn", (_, response) => void response.end(whole("x".repeat(200_000))));
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const other = inLongAnswersTurn("x".repeat(200_000), to, options.signal, () => released);
  let isShown = false;
  const reading = readCustomObject(to, sampleCrd(), object, { version: "v1", ...options }).finally(() => {
    isShown = true;
  });
  await setTimeout(300);
  expect(isShown).toBe(false);
  release();
  await other;
  await expect(reading).resolves.toMatchObject({ uid: "u", text: expect.stringContaining("xxx") });
});
