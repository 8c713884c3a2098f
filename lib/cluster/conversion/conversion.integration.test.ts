import { expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readObject } from "#lib/cluster/objects/custom-objects.ts";
import { type ExactJson, exactProperty } from "#lib/domain/exact-json/exact-json.ts";
import { fieldLosses } from "#lib/domain/losses/field-losses.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip, beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { breakableConversion } from "#lib/rewrite/testing/webhooks/breakable-conversion.ts";
import { probeConversion } from "./probe-conversion.ts";
import { readConversion } from "./read-conversion.ts";

const { connection, define, dryRun } = await openTestBench();

const string = { type: "string" };
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const embedded = { "x-kubernetes-embedded-resource": true };
const intOrString = { "x-kubernetes-int-or-string": true };

const probe = async (definition: SampleDefinition) =>
  probeConversion(connection, (await readCrd(connection, definition.name, soon())).crd, { signal: soon() });

test("the fields that None would drop are the very ones that the API server drops", async () => {
  const definition = await define([
    {
      name: "v1",
      properties: {
        size: intOrString,
        nested: object({ kept: string }),
        containers: { type: "array", items: object({ image: string }) },
        labels: object({ plain: string }),
        pools: { type: "object", additionalProperties: object({ a: string }) },
        template: object({ other: string }, embedded),
        free: { ...anything, properties: { part: object({ a: string }) } },
      },
    },
    {
      name: "v1beta1",
      storage: true,
      properties: {
        size: intOrString,
        note: string,
        nested: object({ kept: string, deep: object({ er: string }) }),
        containers: { type: "array", items: object({ image: string, tag: string }) },
        labels: { type: "object", additionalProperties: string },
        pools: { type: "object", additionalProperties: object({ a: string, b: string }) },
        template: object({ other: string, spec: object({ x: string }) }, embedded),
        free: anything,
      },
    },
  ]);
  await definition.createObjects("v1beta1", 1, () => ({
    size: "3",
    note: "lost",
    nested: { kept: "yes", deep: { er: "lost" } },
    containers: [{ image: "a", tag: "lost" }],
    labels: { plain: "yes", team: "lost" },
    pools: { blue: { a: "yes", b: "lost" } },
    template: { apiVersion: "v1", kind: "Thing", metadata: { name: "kept" }, other: "yes", spec: { x: "lost" } },
    free: { any: ["kept"], part: { a: "yes", b: "lost" } },
  }));
  const at = (version: string): Promise<ExactJson> =>
    readObject(connection, definition, version, { namespace: "default", name: objectName(0) }, { signal: soon() });
  const [before, after] = [await at("v1beta1"), await at("v1")];
  expect(exactProperty(exactProperty(before, "spec"), "note")).toBe("lost");
  const dropped = fieldLosses(before, after).flatMap(({ kind, path }) => (kind === "dropped" ? path : []));

  const conversion = await readConversion(connection, definition.name, soon());
  const asWritten: Record<string, string> = {
    "spec.labels.team": "spec.labels.*",
    "spec.pools.blue.b": "spec.pools.*.b",
    "spec.free.part.b": "spec.free.part.*",
  };
  expect(conversion).toMatchObject({ strategy: "None", webhook: null, pairs: 2, moreDifferences: 0, differencesComplete: true });
  expect(conversion.differences).toEqual([
    { from: "v1beta1", to: "v1", fields: expect.arrayContaining(dropped.map((path) => asWritten[path] ?? path)), more: 0 },
  ]);
  expect(conversion.differences[0]?.fields).toHaveLength(7);
  expect(dropped).toHaveLength(7);
  expect(conversion.findings).toMatchObject([{ severity: "warn", message: expect.stringContaining("v1beta1 to v1 drops spec.") }]);
  expect((await probe(definition)).versions).toMatchObject([
    { version: "v1", objects: 1, failure: null },
    { version: "v1beta1", objects: 1, failure: null },
  ]);
});

test("a probe asks the webhook each time, tells that it is dead or hangs, and at which version", async () => {
  const webhook = await breakableConversion();
  const definition = await define(beforeFlip, webhook.conversion);
  expect((await probe(definition)).versions).toMatchObject([
    { version: "v1", objects: 0, readMs: null, failure: null },
    { version: "v1beta1", objects: 0, readMs: null, failure: null },
  ]);
  await definition.createObjects("v1beta1", 2);
  const answered = { objects: 1, readMs: expect.any(Number), failure: null };
  // More than once: lists come from a cache that was filled through the webhook.
  for (let round = 0; round < 3; round += 1) {
    const before = webhook.calls();
    expect((await probe(definition)).versions).toMatchObject([answered, answered]);
    expect(webhook.calls()).toBeGreaterThan(before);
  }
  const { checks } = await dryRun(definition);
  expect(checks.find(({ name }) => name === "conversion")).toMatchObject({
    status: "pass",
    message: expect.stringMatching(/^The conversion webhook answers: one object read at v1 in \d+ ms, v1beta1 in \d+ ms\.$/),
  });
  expect(await readConversion(connection, definition.name, soon())).toMatchObject({
    strategy: "Webhook",
    webhook: {
      target: { kind: "url", url: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+\/$/) },
      conversionReviewVersions: ["v1"],
      ca: { certificates: [{ subject: expect.stringContaining("crdshift demo conversion webhook") }], moreCertificates: 0, problem: null },
    },
    differences: [],
    findings: [],
  });

  webhook.break({ kind: "refuses" });
  const [dead, stored] = (await probe(definition)).versions;
  expect(dead).toMatchObject({ version: "v1", failure: expect.stringContaining("conversion webhook for") });
  expect(stored).toMatchObject({ version: "v1beta1", failure: null });

  await webhook.heal();
  webhook.break({ kind: "hangs" });
  const [hanging] = (await probe(definition)).versions;
  expect(hanging?.failure).toContain("No answer within 10 s. The API server itself waits up to 30 s");
});

test("a webhook behind a service is reported with its port and its problems", async () => {
  const service = { namespace: "ops", name: "hook", path: "/convert" };
  const webhook = { clientConfig: { service }, conversionReviewVersions: ["v1beta1"] };
  const definition = await define(afterFlip, { strategy: "Webhook", webhook });
  expect(await readConversion(connection, definition.name, soon())).toMatchObject({
    webhook: { target: { kind: "service", ...service, port: 443 }, conversionReviewVersions: ["v1beta1"], ca: null },
    findings: [
      { severity: "fail", message: expect.stringContaining("No CA bundle is set") },
      { severity: "warn", message: expect.stringContaining("only v1beta1") },
    ],
  });
  await expect(readConversion(connection, "nothings.example.com", soon())).rejects.toMatchObject({ code: "not_found" });
});
