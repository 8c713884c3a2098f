import { isDeepStrictEqual } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { sleep } from "#lib/async/sleep.ts";
import { connect } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { requestLines } from "#lib/cluster/transport/request.ts";
import type { VersionRequests } from "#lib/contract/definition/version-requests.ts";
import { apiClient } from "#lib/local-cluster/api-client.ts";
import { createDefinition, objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { readVersionRequests } from "./version-requests.ts";

const { cluster, api } = openWorkerCluster();
const soon = () => AbortSignal.timeout(60_000);

async function define(versions: SampleVersion[]): Promise<{ definition: SampleDefinition; connection: Connection }> {
  const definition = await createDefinition(api, versions);
  onTestFinished(() => definition.remove());
  await chooseContexts(cluster, { name: "a" });
  return { definition, connection: await connect("a") };
}

/** What was requested, as `version verb[/subresource] code`. */
function counters({ requests }: VersionRequests): Map<string, number> {
  const key = (one: VersionRequests["requests"][number]) =>
    `${one.version} ${one.verb}${one.subresource ? `/${one.subresource}` : ""} ${one.code}`;
  return new Map(requests.map((one) => [key(one), one.requests]));
}

/** Reads what has been added to the counters since now. The API server counts a request once it is answered, so it has to be waited for. */
async function countingFrom(read: () => Promise<VersionRequests>): Promise<() => Promise<Record<string, number>>> {
  let before = counters(await read());
  const isSettled = async () => {
    const last = before;
    await sleep(300, soon());
    before = counters(await read());
    return isDeepStrictEqual(last, before);
  };
  await expect.poll(isSettled).toBe(true);
  return async () => {
    const added = [...counters(await read())].map(([key, requests]) => [key, requests - (before.get(key) ?? 0)] as const);
    return Object.fromEntries(added.filter(([, requests]) => requests !== 0));
  };
}

test("separate versions, verbs and answers for all users, and leave out denied ones and other definitions'", async () => {
  const { definition, connection } = await define([
    { name: "v1", storage: true, hasStatus: true },
    { name: "v1beta1", hasStatus: true },
  ]);
  const { definition: other } = await define([{ name: "v1", storage: true }, { name: "v1beta1" }]);
  const user = await restrictedUser(api, [{ apiGroups: [definition.group], resources: ["widgets"], verbs: ["get", "list"] }]);
  const theirs = apiClient({ ...cluster, token: user.token });
  onTestFinished(() => theirs.close());
  await definition.createObjects("v1", 2);
  const read = () => readVersionRequests(connection, definition, soon());
  await expect.poll(async () => counters(await read()).get("v1 POST 201")).toBe(2);
  // A list of all objects gets a 429, which is counted, until the API server's cache has them.
  await expect.poll(() => api.list(definition.path("v1beta1")).then(({ items }) => items.length, String)).toBe(2);
  const added = await countingFrom(read);

  const [first, missing] = [{ name: objectName(0) }, { name: "missing" }];
  // Permissions come into force in a moment; until then the answer is 403, which is not counted.
  await expect.poll(() => theirs.list(definition.path("v1beta1")).then(({ items }) => items.length, String)).toBe(2);
  await theirs.get(definition.path("v1beta1", first));
  await expect(theirs.get(definition.path("v1beta1", missing))).rejects.toThrow(/404/);
  await expect(theirs.delete(definition.path("v1beta1", first))).rejects.toThrow(/403/);
  await api.get(definition.path("v1beta1", first));
  await api.mergePatch(definition.path("v1beta1", first), { spec: { more: 1 } });
  await api.mergePatch(`${definition.path("v1beta1", first)}?dryRun=All`, { spec: { more: 2 } });
  await api.mergePatch(definition.path("v1beta1", first), { status: { ready: true } }, { subresource: "status" });
  const applied = { apiVersion: `${definition.group}/v1`, kind: "Widget", metadata: { name: "applied", namespace: "default" } };
  await api.request("PATCH", `${definition.path("v1", { name: "applied" })}?fieldManager=a`, applied, "application/apply-patch+yaml");
  await api.delete(definition.path("v1", { name: "applied" }));
  await other.createObjects("v1beta1", 1);

  await expect.poll(added).toEqual({
    "v1beta1 LIST 200": 1,
    "v1beta1 GET 200": 2,
    "v1beta1 GET 404": 1,
    "v1beta1 PATCH 200": 2,
    "v1beta1 PATCH/status 200": 1,
    "v1 APPLY 201": 1,
    "v1 DELETE 200": 1,
  });
  const { startedAt, asOf } = await read();
  expect(startedAt).toBe((await read()).startedAt);
  const ageMs = Date.parse(asOf) - Date.parse(startedAt ?? "");
  expect(ageMs).toBeGreaterThan(-5_000);
  expect(ageMs).toBeLessThan(24 * 3_600_000);
});

test("count a watch when it ends, and tell that it is open until then", async () => {
  const { definition, connection } = await define([{ name: "v1", storage: true }, { name: "v1beta1" }]);
  const read = () => readVersionRequests(connection, definition, soon());
  const added = await countingFrom(read);
  const stop = new AbortController();
  const path = `${definition.path("v1beta1")}?watch=1`;
  const watching = Array.fromAsync(requestLines(connection, { path, signal: stop.signal, timeoutMs: 60_000 })).catch(() => "ended");
  await expect.poll(async () => (await read()).openWatches).toEqual([{ version: "v1beta1", watches: 1 }]);
  expect(await added()).not.toHaveProperty("v1beta1 WATCH 200");

  stop.abort(new Error("enough"));
  expect(await watching).toBe("ended");
  await expect.poll(added).toMatchObject({ "v1beta1 WATCH 200": 1 });
  expect((await read()).openWatches).toEqual([]);
});

test("don't count what asks for a version that is not served", async () => {
  const versions = [{ name: "v1", storage: true }, { name: "v1beta1" }];
  const { definition, connection } = await define(versions);
  await definition.setVersions(versions.map((version) => ({ ...version, served: version.name === "v1" })));
  const list = (version: string) =>
    api.list(definition.path(version)).then(
      () => 200,
      (error: Error) => Number(/: (\d+) /.exec(error.message)?.[1]),
    );
  await expect.poll(() => list("v1beta1")).toBe(404);
  // With the new spec the API server reopens its storage, and answers 429 until it has.
  await expect.poll(async () => [await list("v1"), await list("v1"), await list("v1")]).toEqual([200, 200, 200]);
  const added = await countingFrom(() => readVersionRequests(connection, definition, soon()));
  for (let turn = 0; turn < 3; turn += 1) expect([await list("v1beta1"), await list("v1")]).toEqual([404, 200]);
  await expect.poll(added).toEqual({ "v1 LIST 200": 3 });
});

test("tell that a version was requested while it was deprecated, by subresource, and not before", async () => {
  const versions = [
    { name: "v1", storage: true },
    { name: "v1beta1", hasStatus: true },
  ];
  const { definition, connection } = await define(versions);
  await definition.createObjects("v1", 1);
  const requested = async () => (await readVersionRequests(connection, definition, soon())).deprecatedRequested;
  await definition.setVersions(versions.map((version) => ({ ...version, deprecated: version.name === "v1beta1" })));
  expect(await requested()).toEqual([]);
  const status = `${definition.path("v1beta1", { name: objectName(0) })}/status`;
  const afterOne = (path: string) => async () => {
    await api.get(path);
    return requested();
  };
  await expect.poll(afterOne(status)).toEqual([{ version: "v1beta1", subresource: "status" }]);
  await expect.poll(afterOne(definition.path("v1beta1"))).toContainEqual({ version: "v1beta1", subresource: "" });
  await api.get(definition.path("v1"));
  expect((await requested()).map(({ version }) => version)).toEqual(["v1beta1", "v1beta1"]);
});

test("that may not be read are an error with what to ask for, and not zero", async () => {
  const { definition } = await define([{ name: "v1", storage: true }]);
  const nobody = await restrictedUser(api, []);
  await chooseContexts(cluster, { name: "nobody", token: nobody.token });
  const connection = await connect("nobody");
  const read = () => readVersionRequests(connection, definition, soon());
  await expect(read()).rejects.toMatchObject({ code: "forbidden", clusterMessage: expect.stringContaining('cannot get path "/metrics"') });

  // What the page says to ask for is enough, and system:monitoring has it.
  await nobody.grant([{ nonResourceURLs: ["/metrics"], verbs: ["get"] }]);
  await expect.poll(() => read().then(({ startedAt }) => typeof startedAt, String)).toBe("string");
  const { rules } = await api.get("/apis/rbac.authorization.k8s.io/v1/clusterroles/system:monitoring");
  expect(rules).toContainEqual({ nonResourceURLs: expect.arrayContaining(["/metrics"]), verbs: expect.arrayContaining(["get"]) });
});
