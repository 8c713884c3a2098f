import { expect, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { countObjects } from "./object-counts.ts";

/** A connection to a server that is busy for so many requests, then lists nothing. */
async function busyFor(requests: number): Promise<Connection> {
  let asked = 0;
  return connectionTo("busy", (_, response) => {
    asked += 1;
    if (asked <= requests) return void response.writeHead(503).end(JSON.stringify({ kind: "Status", message: "starting" }));
    response.writeHead(200).end(JSON.stringify({ metadata: { resourceVersion: "10" }, items: [] }));
  });
}

test("a server that is busy for a moment does not make a count fail", async () => {
  const counting = countObjects(await busyFor(2), sampleCrd(), AbortSignal.timeout(10_000));
  expect(await Array.fromAsync(counting)).toMatchObject([{ total: 0, basis: "list", complete: true }]);
});

test("one that stays busy does, with its words", async () => {
  const counting = countObjects(await busyFor(99), sampleCrd(), AbortSignal.timeout(10_000));
  expect(await Array.fromAsync(counting)).toMatchObject([{ total: null, basis: "failed", message: "starting" }]);
});
