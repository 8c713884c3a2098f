import { expect, onTestFinished, test } from "vitest";
import { listCrds } from "#lib/cluster/definitions/crds.ts";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import { createDefinition } from "#lib/local-cluster/sample-definition.ts";
import { type CrdChange, watchCrds } from "./watch-crds.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const { api, connection } = openWorkerCluster();

/** Watches from a fresh list on, until the test ends. */
async function watching() {
  const on = await connection();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const [page] = await Array.fromAsync(listCrds(on, stop.signal));
  const changes: CrdChange[] = [];
  const opened = Promise.withResolvers<void>();
  const options = { resourceVersion: page?.resourceVersion ?? "", signal: stop.signal, onOpen: opened.resolve };
  const ended = (async () => {
    for await (const change of watchCrds(on, options)) changes.push(change);
  })();
  ended.catch(() => {});
  await opened.promise;
  return { changes, stop, ended };
}

const namesOf = (changes: CrdChange[], type: CrdChange["type"]) =>
  changes.flatMap((change) =>
    change.type !== type ? [] : change.type === "deleted" ? [change.name] : change.type === "upserted" ? [change.crd.name] : [],
  );

test("tells of definitions that come, change and go, each with a higher resourceVersion", async () => {
  const { changes } = await watching();
  const definition = await createDefinition(api, [{ name: "v1", storage: true }]);
  await api.mergePatch(`${definitions}/${definition.name}`, { metadata: { labels: { changed: "yes" } } });
  await definition.remove();
  await expect.poll(() => namesOf(changes, "deleted"), { timeout: 20_000 }).toContain(definition.name);
  const upserts = changes.filter((change) => change.type === "upserted" && change.crd.name === definition.name);
  expect(upserts.length).toBeGreaterThanOrEqual(2);
  expect(upserts.at(-1)).toMatchObject({ crd: { group: definition.group, storedVersions: ["v1"] } });
  const versions = changes.map(({ resourceVersion }) => BigInt(resourceVersion));
  expect(versions).toEqual(versions.toSorted((a, b) => (a < b ? -1 : 1)));
});

test("ends at once with the signal's reason", async () => {
  const { stop, ended } = await watching();
  const reason = new Error("no one is viewing any more");
  stop.abort(reason);
  await expect(ended).rejects.toBe(reason);
});
