import { expect, onTestFinished, test } from "vitest";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import type { ObjectPage } from "#lib/contract/objects/custom-object.ts";
import { createDefinition, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { readObjectText } from "./custom-objects.ts";
import { readObjectTable } from "./object-table.ts";
import { downloadObject, readCustomObject } from "./read-custom-object.ts";

const { api, connection } = openWorkerCluster();
const soon = () => AbortSignal.timeout(60_000);

const OBJECTS = 12;
const NAME = "hostile";
const named = { namespace: "default", name: NAME };

/** An object with this in its spec; nested values that JSON.stringify can write. */
async function definitionWith(spec: unknown): Promise<SampleDefinition> {
  const definition = await createDefinition(api, [{ name: "v1", storage: true }]);
  onTestFinished(() => definition.remove());
  await create(definition, NAME, spec);
  return definition;
}

async function create(definition: SampleDefinition, name: string, spec: unknown): Promise<void> {
  await api.create(definition.path("v1", { name: "" }), {
    ...{ apiVersion: `${definition.group}/v1`, kind: "Widget" },
    ...{ metadata: { name, namespace: "default" }, spec },
  });
}

/** The schema of items, each of which has zeros by default. */
function inflating(zeros?: number[]) {
  const list = { type: "array", items: { type: "integer" }, ...(zeros && { default: zeros }) };
  return { items: { type: "array", items: { type: "object", properties: { zeros: list } } } };
}

const inLevels = (levels: number, value: unknown) => Array.from({ length: levels }).reduce((inner) => ({ a: inner }), value);

// Indented, its 206 KB became 203 MB, which took 5 s.
const HOSTILE = inLevels(990, Array(100_000).fill(0));

test("an object of 100,000 zeros under 990 levels is too large to show, and holds nobody up", async () => {
  const definition = await definitionWith(HOSTILE);
  const to = await connection();
  const { longest, result } = await whileWatched(() => readCustomObject(to, definition, named, { version: "v1", signal: soon() }));
  expect(JSON.stringify(result).length).toBeLessThan(150_000);
  expect(longest).toBeLessThan(LONGEST_TURN);
  expect(result).toMatchObject({ text: null, uid: expect.stringMatching(/./), resourceVersion: expect.stringMatching(/^\d+$/) });
  expect(result.managedFields).toHaveLength(1);
});

test("an object with 36,000 keys has more fields than can be shown, and holds nobody up", async () => {
  const definition = await definitionWith(Object.fromEntries(Array.from({ length: 36_000 }, (_, index) => [`key-${index}`, {}])));
  const to = await connection();
  const { longest, result } = await whileWatched(() => readCustomObject(to, definition, named, { version: "v1", signal: soon() }));
  expect(longest).toBeLessThan(LONGEST_TURN);
  expect(result).toMatchObject({ managedFields: [{ manager: expect.any(String), fields: null }] });
  expect(JSON.stringify(result).length).toBeLessThan(2_000_000);
});

test("a download is the API server's own JSON, in pieces, and holds nobody up", async () => {
  const definition = await definitionWith(HOSTILE);
  const to = await connection();
  const { longest, result } = await whileWatched(() =>
    Array.fromAsync(downloadObject(to, definition, named, { version: "v1", signal: soon() })),
  );
  expect(longest).toBeLessThan(LONGEST_TURN);
  expect(result.length).toBeGreaterThan(1);
  const read = await readObjectText(to, definition, "v1", named, { signal: soon() });
  expect(Buffer.concat(result).toString()).toBe(read);
});

// Without the limit for one object (OF_ONE in object-patches.ts), all 6 MB were read, and up to 32 MiB.
test("an object of 300 bytes that a schema's defaults fill up to 6 MB is too large to show, and can be downloaded", async () => {
  const definition = await createDefinition(api, [{ name: "v1", storage: true, properties: inflating() }]);
  onTestFinished(() => definition.remove());
  await create(definition, NAME, { items: Array(75).fill({}) });
  // Afterwards: what a create defaults is stored.
  await definition.flip([{ name: "v1", storage: true, properties: inflating(Array(40_000).fill(0)) }]);
  const to = await connection();
  const { longest, result } = await whileWatched(() => readCustomObject(to, definition, named, { version: "v1", signal: soon() }));
  expect(longest).toBeLessThan(LONGEST_TURN);
  expect(result).toMatchObject({ text: null, uid: expect.stringMatching(/./), managedFields: [{ manager: expect.any(String) }] });
  const download = await Array.fromAsync(downloadObject(to, definition, named, { version: "v1", signal: soon() }));
  expect(Buffer.concat(download).length).toBeGreaterThan(6_000_000);
  await expect(readObjectText(to, definition, "v1", named, { signal: soon() })).rejects.toMatchObject({
    message: expect.stringContaining("larger than 3 MiB"),
  });
});

// 20 of them were one page of 10 MB, which took 600 ms to parse; 60 took 695 MB of memory.
test("a page of objects with 36,000 keys each is as short as they are large, and holds nobody up", async () => {
  const definition = await definitionWith({});
  const spec = Object.fromEntries(Array.from({ length: 36_000 }, (_, index) => [`key-${index}`, {}]));
  const names = Array.from({ length: OBJECTS }, (_, index) => `wide-${String(index).padStart(2, "0")}`);
  for (const name of names) await create(definition, name, spec);
  const to = await connection();
  const seen: string[] = [];
  let next: string | null = null;
  do {
    const options: { version: string; limit: number; next: string | null; signal: AbortSignal } = {
      ...{ version: "v1", limit: 100, signal: soon() },
      next,
    };
    const { longest, result } = await whileWatched<ObjectPage>(() => readObjectTable(to, definition, options));
    expect(longest).toBeLessThan(LONGEST_TURN);
    expect(result.rows.length).toBeLessThan(OBJECTS);
    seen.push(...result.rows.map(({ name }) => name));
    next = result.continue;
  } while (next !== null);
  expect(seen).toEqual([NAME, ...names]);
}, 120_000);

test("a download of an object that doesn't exist says so", async () => {
  const definition = await createDefinition(api, [{ name: "v1", storage: true }]);
  onTestFinished(() => definition.remove());
  const downloading = downloadObject(await connection(), definition, named, { version: "v1", signal: soon() });
  await expect(downloading.next()).rejects.toMatchObject({ code: "not_found" });
});

// With the sockets of everything else, whoever reads 160 downloads slowly keeps readiness, and everybody who shares the account, waiting.
test("downloads that nobody reads keep no other request waiting", async () => {
  const definition = await definitionWith({ text: "x".repeat(1_000_000) });
  const to = await connection();
  const leaving = new AbortController();
  const downloads = Array.from({ length: 170 }, () => downloadObject(to, definition, named, { version: "v1", signal: leaving.signal }));
  const begun = downloads.map((download) => download.next().then(() => "begun", String));
  onTestFinished(async () => {
    leaving.abort(new Error("left"));
    await Promise.all(begun);
  });
  await Promise.all(begun.slice(0, 16));
  expect(await readCustomObject(to, definition, named, { version: "v1", signal: AbortSignal.timeout(10_000) })).toMatchObject({
    version: "v1",
  });
}, 60_000);
