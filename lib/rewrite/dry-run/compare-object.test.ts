import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { inLongAnswersTurn } from "#lib/cluster/transport/long-answers.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import { type Comparing, compareByReading } from "./compare-object.ts";

const AT_ONCE = 80;

// Answers about objects of less than TAKES_TIME are compared as they arrive. With 128 KiB there, 60 requests held everybody up for 3 s.
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

// With a turn of the event loop for each step from 16 KiB on, somebody who reads one large object in a loop slows others' rewrites down
// forty times: each of these turns has one of the reader's long pieces.
test("comparing objects of 20 KB isn't held up, piece by piece, by somebody's large ones", async () => {
  const count = 100;
  const objectAt = (version: string) =>
    JSON.stringify({
      ...{ apiVersion: `example.com/${version}`, kind: "CronTab" },
      ...{ metadata: { name: "one", uid: "u", resourceVersion: "10" }, spec: { note: "x".repeat(20_000) } },
    });
  const connection = await connectionTo(`beside-${randomUUID()}`, (request, response) => {
    const version = /example\.com\/([^/]+)/.exec(request.url ?? "")?.[1] ?? "";
    response.setHeader("content-type", "application/json").end(objectAt(version));
  });
  const ended = new AbortController();
  const signal = AbortSignal.timeout(60_000);
  let pieces = 0;
  const mallory = { person: () => "mallory" } as Partial<Connection> as Connection;
  const readLarge = async () => {
    for (; !ended.signal.aborted; pieces += 1) {
      await inLongAnswersTurn("x".repeat(200_000), mallory, signal, () => {
        for (let used = 0, before = process.threadCpuUsage(); used < 20_000; ) used = process.threadCpuUsage(before).user;
      });
    }
  };
  const reading = [readLarge(), readLarge()];
  const comparing: Comparing = { connection, crd: sampleCrd(), gate: createGate(), pacer: createPacer(null), signal, amid: true };
  await Promise.all(Array.from({ length: count }, () => compareByReading(comparing, { namespace: "a", name: "one" }, ["v1beta1", "v1"])));
  ended.abort();
  await Promise.all(reading);
  // Without any turns, it is one for each, since these come from a server in this process.
  expect(pieces).toBeLessThan(2 * count);
});
