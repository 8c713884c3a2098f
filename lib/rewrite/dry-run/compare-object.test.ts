import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import { type Comparing, compareByReading } from "./compare-object.ts";

const AT_ONCE = 80;

// Answers about objects of less than LARGE are compared as they arrive. With 128 KiB there, 60 requests held everybody up for 3 s.
test("comparing eighty objects of 120 KB at once holds nobody up", async () => {
  const values = Array(60_000).fill(0);
  const objectAt = (version: string) =>
    JSON.stringify({
      ...{ apiVersion: `example.com/${version}`, kind: "CronTab" },
      ...{ metadata: { name: "one", uid: "u", resourceVersion: "10" }, spec: { values } },
    });
  const texts = new Map(["v1", "v1beta1"].map((version) => [version, objectAt(version)]));
  let waiting: (() => void)[] = [];
  const connection = await connectionTo(`compared-${randomUUID()}`, (request, response) => {
    const version = /example\.com\/([^/]+)/.exec(request.url ?? "")?.[1] ?? "";
    waiting.push(() => response.setHeader("content-type", "application/json").end(texts.get(version)));
    if (waiting.length < AT_ONCE) return;
    // All at once, as a busy API server does.
    for (const answer of waiting) answer();
    waiting = [];
  });
  const signal = AbortSignal.timeout(60_000);
  const comparing: Comparing = { connection, crd: sampleCrd(), gate: createGate(), pacer: createPacer(null), signal, amid: true };
  const compareAll = () =>
    Promise.all(Array.from({ length: AT_ONCE }, () => compareByReading(comparing, { namespace: "a", name: "one" }, ["v1beta1", "v1"])));
  const { longest, result } = await whileWatched(compareAll);
  expect(longest).toBeLessThan(LONGEST_TURN);
  expect(result.map(({ kind }) => kind)).toEqual(Array(AT_ONCE).fill("answered"));
});
