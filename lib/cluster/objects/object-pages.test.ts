import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { objectPages } from "./object-pages.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** An API server whose objects have annotations of these sizes. `asked` holds the limit of every request, in order. */
async function listOf(sizes: readonly number[]): Promise<{ connection: Connection; asked: number[] }> {
  const asked: number[] = [];
  const connection = await connectionTo("large", (request, response) => {
    const query = new URL(request.url ?? "/", "http://localhost").searchParams;
    const [limit, from] = [Number(query.get("limit")), Number(query.get("continue"))];
    asked.push(limit);
    const items = sizes.slice(from, from + limit).map((size, index) => ({
      metadata: { name: `widget-${from + index}`, resourceVersion: "1", annotations: { note: "x".repeat(size) } },
    }));
    const left = Math.max(0, sizes.length - from - limit);
    const next = left > 0 && { continue: String(from + limit), remainingItemCount: left };
    response.end(JSON.stringify({ metadata: { resourceVersion: "10", ...next }, items }));
  });
  return { connection, asked };
}

const list = (connection: Connection) =>
  Array.fromAsync(objectPages(connection, sampleCrd(), { version: "v1", signal: AbortSignal.timeout(80_000) }));

test("pages of small objects soon hold 500", async () => {
  const { connection, asked } = await listOf(Array(1_700).fill(100));
  const pages = await list(connection);
  expect(asked).toEqual([50, 200, 500, 500, 500]);
  expect(pages.map(({ objects }) => objects.length)).toEqual([50, 200, 500, 500, 450]);
  expect(pages.map(({ total }) => total)).toEqual([1_700, null, null, null, null]);
});

test("pages of objects with large metadata hold about 1.5 MiB", async () => {
  const { connection, asked } = await listOf(Array(150).fill(200 * KIB));
  const pages = await list(connection);
  expect(new Set(pages.flatMap(({ objects }) => objects.map(({ name }) => name))).size).toBe(150);
  expect(asked.slice(0, 4)).toEqual([50, 25, 13, 7]);
  expect(new Set(asked.slice(4))).toEqual(new Set([7]));
  expect(pages.every(({ bytes }) => bytes < 2 * MIB)).toBe(true);
});

test("a page that is too large is halved until it fits, and nothing is missed", async () => {
  const { connection, asked } = await listOf([...Array(250).fill(100), ...Array(40).fill(MIB)]);
  const pages = await list(connection);
  expect(pages.flatMap(({ objects }) => objects.map(({ name }) => name))).toEqual(
    Array.from({ length: 290 }, (_, index) => `widget-${index}`),
  );
  expect(asked.slice(0, 11)).toEqual([50, 200, 500, 250, 125, 63, 32, 16, 8, 4, 2]);
  expect(pages.every(({ bytes }) => bytes <= 2 * MIB)).toBe(true);
});

test("an object whose metadata alone is too large is an error that names the request, and isn't retried", async () => {
  const { connection, asked } = await listOf([33 * MIB, 100]);
  await expect(list(connection)).rejects.toMatchObject({
    code: "cluster_rejected",
    message: "The answer to GET /apis/example.com/v1/crontabs is larger than 3 MiB, so crdshift doesn't read it.",
  });
  expect(asked).toEqual([50, 25, 13, 7, 4, 2, 1]);
});

// Parsed as they arrive (request.ts, parsed), sixteen pages are one turn of the event loop, in which nobody else gets an answer.
test("sixteen lists of objects that are all keys of managedFields hold nobody up together", async () => {
  const keys = Object.fromEntries(Array.from({ length: 36_000 }, (_, index) => [`f:k${index}`, {}]));
  const entry = { manager: "m", operation: "Update", apiVersion: "example.com/v1", fieldsV1: { "f:spec": keys } };
  const items = Array.from({ length: 3 }, (_, index) => ({
    metadata: { name: `widget-${index}`, resourceVersion: "1", managedFields: [entry] },
  }));
  // Encoded here, since what the API server does is in no turn of crdshift's.
  const page = Buffer.from(JSON.stringify({ metadata: { resourceVersion: "10" }, items }));
  const waiting: ServerResponse[] = [];
  const connection = await connectionTo("sixteen", (_, response) => {
    waiting.push(response);
    if (waiting.length === 16) for (const one of waiting.splice(0)) one.end(page);
  });
  const { longest, result } = await whileWatched(() => Promise.all(Array.from({ length: 16 }, () => list(connection))));
  expect(result.flat().flatMap(({ objects }) => objects)).toHaveLength(48);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// Taken for the end of the list, the other version's answer proves a definition whose objects nobody has seen.
test("an object that can't be converted, and that no other version lists, is an error and not the end of the list", async () => {
  const asked: string[] = [];
  const message = "conversion webhook for example.com/v1, Kind=CronTab failed: no endpoints";
  const connection = await connectionTo("another", (request, response) => {
    const [, version = ""] = /\/apis\/[^/]+\/([^/]+)\//.exec(request.url ?? "") ?? [];
    asked.push(version);
    if (version === "v1beta1") return void response.end(JSON.stringify({ metadata: { resourceVersion: "10" }, items: [] }));
    const status = { kind: "Status", apiVersion: "v1", status: "Failure", code: 500, reason: "InternalError", message };
    response.writeHead(500, { "content-type": "application/json" }).end(JSON.stringify(status));
  });
  const options = { version: "v1", otherVersions: ["v1beta1"], signal: AbortSignal.timeout(80_000) };
  await expect(Array.fromAsync(objectPages(connection, sampleCrd(), options))).rejects.toMatchObject({ clusterMessage: message });
  expect(asked.filter((version) => version === "v1beta1")).toHaveLength(4);
});
