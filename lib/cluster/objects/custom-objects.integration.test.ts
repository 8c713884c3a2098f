import { request } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { compactEtcd } from "#lib/cluster/testing/compact-etcd.ts";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { parseObject } from "#lib/domain/exact-json/exact-json.ts";
import { fieldTests } from "#lib/domain/objects/field-tests.ts";
import { resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { createDefinition, objectName, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { readCachedObjectText, readObjectText, rewriteObject } from "./custom-objects.ts";
import { listObjects, type ObjectPage, objectPages } from "./object-pages.ts";

const { cluster, api, connection } = openWorkerCluster();
const soon = () => AbortSignal.timeout(30_000);

async function definitionWith(count: number, versions: SampleVersion[] = [{ name: "v1", storage: true }], scope?: "Cluster") {
  const definition = await createDefinition(api, versions, scope && { scope });
  onTestFinished(() => definition.remove());
  await definition.createObjects(versions.find((version) => version.storage)?.name ?? "v1", count);
  return definition;
}

const names = (pages: ObjectPage[]) => pages.flatMap(({ objects }) => objects.map(({ name }) => name));

// Counted as gone, an object that was just created would be missing from a dry run.
test("an object that the API server's cache doesn't have is no error", async () => {
  const definition = await definitionWith(1);
  const cached = async (name: string) =>
    readCachedObjectText(await connection(), definition, "v1", { namespace: "default", name }, { signal: soon() });
  await expect.poll(() => cached(objectName(0))).toContain(objectName(0));
  expect(await cached("missing")).toBeNull();
});

describe("a list of objects", () => {
  test("comes in pages of up to 500, each object once, with the total from the first page on", async () => {
    const definition = await definitionWith(1_201);
    const pages = await Array.fromAsync(objectPages(await connection(), definition, { version: "v1", signal: soon() }));
    expect(pages.map(({ objects }) => objects.length)).toEqual([50, 200, 500, 451]);
    expect(pages.map(({ total }) => total)).toEqual([1_201, null, null, null]);
    expect(new Set(names(pages)).size).toBe(1_201);
    expect(new Set(pages.map(({ resourceVersion }) => resourceVersion)).size).toBe(1);
  });

  // Without PAGE_MAX_BYTES (whole-answer.ts) the second page holds all that are left.
  test("halves a page of objects with large metadata, and misses none", async () => {
    const definition = await definitionWith(160);
    const annotations = { "example.com/notes": "x".repeat(200 * 1024) };
    const large = Array.from({ length: 100 }, (_, index) => objectName(60 + index));
    await forEachConcurrently(large, { concurrency: 8, signal: AbortSignal.timeout(120_000) }, async (name) => {
      await api.mergePatch(definition.path("v1", { name }), { metadata: { annotations } });
    });
    const pages = await Array.fromAsync(objectPages(await connection(), definition, { version: "v1", signal: soon() }));
    expect(pages.slice(0, 2).map(({ objects }) => objects.length)).toEqual([50, 13]);
    expect(names(pages)).toEqual(Array.from({ length: 160 }, (_, index) => objectName(index)));
    expect(Math.max(...pages.map(({ bytes }) => bytes))).toBeLessThan(2 * 1024 * 1024);
  });

  test.each([0, 1, 2])("of %d objects has that total, though the API server leaves the rest unsaid", async (count) => {
    const definition = await definitionWith(count);
    const { total, objects } = await listObjects(await connection(), definition, { version: "v1", limit: 1, signal: soon() });
    expect(total).toBe(count);
    expect(objects).toHaveLength(Math.min(1, count));
  });

  test("has a resourceVersion that every earlier write is below or at, and every later one above", async () => {
    const definition = await definitionWith(1);
    const on = await connection();
    const point = BigInt((await listObjects(on, definition, { version: "v1", limit: 1, signal: soon() })).resourceVersion);
    const [before] = (await api.list(definition.path("v1"))).items;
    const after = await api.mergePatch(definition.path("v1", { name: "widget-000000" }), { spec: { size: 7 } });
    expect(BigInt(before?.metadata.resourceVersion ?? 0)).toBeLessThanOrEqual(point);
    expect(BigInt(after.metadata.resourceVersion ?? 0)).toBeGreaterThan(point);
  });

  test("names the versions that objects were written as", async () => {
    const definition = await definitionWith(1, [{ name: "v1" }, { name: "v1beta1", storage: true }]);
    await api.mergePatch(definition.path("v1", { name: "widget-000000" }), { spec: { other: 1 } });
    const { objects } = await listObjects(await connection(), definition, { version: "v1", limit: 1, signal: soon() });
    expect(objects[0]?.writes.map(({ version }) => version).toSorted()).toEqual(["v1", "v1beta1"]);
    expect(Math.abs((objects[0]?.writes[0]?.at ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  test("at a version that is not served is an error, never an empty list", async () => {
    const definition = await definitionWith(1, [
      { name: "v1", storage: true },
      { name: "v1beta1", served: false },
    ]);
    const listing = listObjects(await connection(), definition, { version: "v1beta1", limit: 1, signal: soon() });
    const error: unknown = await listing.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "not_found" });
    expect(clusterAnswer(error)?.message).toBe("404 page not found");
  });

  test("whose token expired goes on where it stopped, with the server's inconsistent token", async () => {
    const definition = await definitionWith(1_201);
    const on = await connection();
    // The API server keeps snapshots for its tokens until the definition changes; after that it needs etcd's history.
    const expireTokens = async () => {
      const { ended } = await watch(on, definition.path("v1"));
      await definition.setVersions([{ name: "v1", storage: true, deprecated: true }]);
      await ended;
      await api.delete(definition.path("v1", { name: "widget-001200" }));
      await compactEtcd(cluster.etcd);
    };
    let asked = 0;
    const answers: (number | undefined)[] = [];
    const pages: ObjectPage[] = [];
    const attempt = async <T>(request: () => Promise<T>): Promise<T> => {
      asked += 1;
      if (asked === 2) await expireTokens();
      try {
        return await request();
      } catch (error) {
        answers.push(clusterAnswer(error)?.status);
        throw error;
      }
    };
    // The page after the expired one is enough: this API server's cache may stay behind etcd for long after such a compaction.
    for await (const page of objectPages(on, definition, { version: "v1", signal: soon(), attempt })) if (pages.push(page) === 2) break;
    expect(answers).toEqual([410]);
    expect(new Set(names(pages)).size).toBe(250);
    expect(pages.map(({ objects }) => objects[0]?.name)).toEqual(["widget-000000", "widget-000050"]);
    expect(pages.some(({ restarted }) => restarted)).toBe(false);
  });

  test("ends with the signal's reason when it is aborted between pages", async () => {
    const definition = await definitionWith(51);
    const stop = new AbortController();
    const pages = objectPages(await connection(), definition, { version: "v1", signal: stop.signal });
    await pages.next();
    const reason = new Error("cancelled");
    stop.abort(reason);
    await expect(pages.next()).rejects.toBe(reason);
  });
});

/** An open watch. It has ended when the API server ends it, which it does when it begins to serve a changed definition. */
async function watch(on: Connection, path: string): Promise<{ ended: Promise<void> }> {
  const { body } = await request(`${on.server}${path}?watch=1`, {
    dispatcher: on.dispatcher,
    headers: await on.authHeaders(),
    signal: soon(),
  });
  return { ended: body.dump({ limit: Number.POSITIVE_INFINITY }) };
}

describe("the rewrite of one object", () => {
  const stale: SampleVersion[] = [{ name: "v1" }, { name: "v1beta1", storage: true }];
  const flipped: SampleVersion[] = [{ name: "v1", storage: true }, { name: "v1beta1" }];

  test.each(["Namespaced", "Cluster"] as const)(
    "%s: a stale one is stored again with the same spec, a current one is not written",
    async (scope) => {
      const definition = await definitionWith(1, stale, scope === "Cluster" ? scope : undefined);
      const on = await connection();
      const object = { namespace: scope === "Cluster" ? "" : "default", name: "widget-000000" };
      const stored = async () => (await definition.storedValues(cluster.etcd)).get("widget-000000");
      const before = await stored();
      await definition.setVersions(flipped);

      // The flip is effective a moment later; until then nothing changes.
      await expect
        .poll(async () => {
          await rewriteObject(on, definition, "v1", object, { signal: soon() });
          return (await stored())?.apiVersion;
        })
        .toBe(`${definition.group}/v1`);
      const after = await stored();
      expect(after?.specText).toBe(before?.specText);
      expect(after?.metadata).toMatchObject({ uid: before?.metadata.uid, generation: before?.metadata.generation });

      const again = await rewriteObject(on, definition, "v1", object, { signal: soon() });
      const untouched = { deleted: false, owned: true, managedFields: expect.any(Array), generation: 1 };
      expect(again).toEqual({ resourceVersion: String(after?.modRevision), ...untouched });
      expect((await stored())?.modRevision).toBe(after?.modRevision);
    },
  );

  test("never brings a deleted one back", async () => {
    const definition = await definitionWith(1);
    const on = await connection();
    await api.delete(definition.path("v1", { name: "widget-000000" }));
    const rewriting = rewriteObject(on, definition, "v1", { namespace: "default", name: "widget-000000" }, { signal: soon() });
    await expect(rewriting).rejects.toMatchObject({ code: "not_found" });
    expect((await definition.storedValues(cluster.etcd)).size).toBe(0);
  });

  // The API server compares strings and numbers by their text, as it writes them itself.
  test("starts from the fields that it was read with, however they are written, or fails", async () => {
    const anyField = { keepsUnknown: true };
    const definition = await definitionWith(0, [
      { name: "v1", ...anyField },
      { name: "v1beta1", storage: true, ...anyField },
    ]);
    const metadata = `{"name":"one","namespace":"default","uid":"one","labels":{"a/b":"c"},"annotations":{"text":${ODD_TEXT}}}`;
    const value = `{"apiVersion":"${definition.group}/v1beta1","kind":"Widget","metadata":${metadata},"spec":${ODD_SPEC},"a~b/c \\"d":[],"none":{}}`;
    const key = `/registry/${definition.group}/${definition.plural}/default/one`;
    await putIntoEtcd(cluster.etcd, key, value);
    await definition.flip([
      { name: "v1", storage: true, ...anyField },
      { name: "v1beta1", ...anyField },
    ]);
    const on = await connection();
    const object = { namespace: "default", name: "one" };
    const text = await readObjectText(on, definition, "v1", object, { signal: soon() });
    const ifResourceVersion = resourceVersionOf(parseObject(text));
    const patched = (shown: string) =>
      rewriteObject(on, definition, "v1", object, { signal: soon(), tests: fieldTests(shown, []) ?? [], ifResourceVersion });
    for (const [was, is] of [
      ['"deep":[', '"other":['],
      ['"a/b":"c"', '"a/b":"d"'],
      ['"none":{}', '"none":[]'],
      // As if it had more than was read: beside a list with a null, in it, and in an object in it.
      ['"numbers":[', '"nothing":null,"numbers":['],
      ['"nulls":[null,[1,null,{"x":[null]}]]', '"nulls":[null]'],
      ['{"x":[null]}', "{}"],
      ['"nulls":[null,[1,null,{"x":[null]}]],', ""],
    ]) {
      expect(text).toContain(was);
      const failed: unknown = await patched(text.replace(was ?? "", is ?? "")).catch((error: unknown) => error);
      expect(clusterAnswer(failed)?.status).toBe(422);
    }
    const stored = async () => (await definition.storedValues(cluster.etcd)).get("one");
    await expect.poll(async () => (await patched(text)) && (await stored())?.apiVersion).toBe(`${definition.group}/v1`);
    const after = await readObjectText(on, definition, "v1", object, { signal: soon() });
    expect(fieldTests(after, [])).toEqual(fieldTests(text, []));
  });
});

const ODD_TEXT = String.raw`"<a href=\"x\"> & \u2028 \u0000 é 😀 \\/ \t"`;
const ODD_SPEC = `{"deep":[[{"x":null,"y":[${ODD_TEXT}]}]],"nulls":[null,[1,null,{"x":[null]}]],"numbers":[1.0,1e3,0.1,1E-7,9007199254740993,1e21,123456789012345680000],"${"k".repeat(300)}":{"<&>":true}}`;
