import { readFile } from "node:fs/promises";
import path from "node:path";
import { generate } from "selfsigned";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { rewriteObject } from "#lib/cluster/objects/custom-objects.ts";
import { listObjects } from "#lib/cluster/objects/object-pages.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { tcpProxy } from "#lib/cluster/testing/tcp-proxy.ts";
import { createDefinition } from "#lib/local-cluster/sample-definition.ts";
import { apiRequests } from "./api-requests.ts";
import { clusterAnswer } from "./cluster-answer.ts";
import { readServerVersion } from "./discovery.ts";
import { requestJson } from "./request.ts";

const { cluster, api } = openWorkerCluster();
const soon = () => AbortSignal.timeout(30_000);

/** What a failing call threw, with the API server's answer behind it. */
async function failure(call: Promise<unknown>) {
  const error = await call.then(
    (value) => expect.fail(`it answered ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  return { error, answer: clusterAnswer(error) };
}

test("a wrong token is a 401 that asks to sign in", async () => {
  await chooseContexts(cluster, { name: "a", token: "wrong" });
  const { error, answer } = await failure(readServerVersion(await connect("a"), soon()));
  expect(error).toMatchObject({ code: "unauthenticated", nextStep: expect.stringContaining("Sign in") });
  expect(answer).toMatchObject({ status: 401, reason: "Unauthorized" });
});

test("what a role does not allow is a 403 with the verb and the resource", async () => {
  const definition = await createDefinition(api, [{ name: "v1", storage: true }]);
  onTestFinished(() => definition.remove());
  await definition.createObjects("v1", 1);
  const reader = await restrictedUser(api, [{ apiGroups: [definition.group], resources: ["widgets"], verbs: ["list"] }]);
  await chooseContexts(cluster, { name: "a", token: reader.token });
  const connection = await connect("a");
  await expect(listObjects(connection, definition, { version: "v1", limit: 1, signal: soon() })).resolves.toMatchObject({ total: 1 });

  const object = { namespace: "default", name: "widget-000000" };
  const { error, answer } = await failure(rewriteObject(connection, definition, "v1", object, { signal: soon() }));
  expect(error).toMatchObject({ code: "forbidden" });
  expect(answer).toMatchObject({ status: 403, reason: "Forbidden" });
  expect(answer?.message).toContain(`User "${reader.name}" cannot patch resource "widgets" in API group "${definition.group}"`);
});

test("a 404 for an object names it, and a 404 for a version that isn't served does not", async () => {
  const definition = await createDefinition(api, [
    { name: "v1", storage: true },
    { name: "v1beta1", served: false },
  ]);
  onTestFinished(() => definition.remove());
  await definition.createObjects("v1", 1);
  await chooseContexts(cluster, { name: "a" });
  const connection = await connect("a");
  const patch = (version: string, name: string) =>
    failure(rewriteObject(connection, definition, version, { namespace: "default", name }, { signal: soon() }));

  const gone = await patch("v1", "widget-000001");
  expect(gone.error).toMatchObject({ code: "not_found" });
  expect(gone.answer).toMatchObject({ status: 404, reason: "NotFound", name: "widget-000001" });

  const unserved = await patch("v1beta1", "widget-000000");
  expect(unserved.error).toMatchObject({ code: "not_found" });
  expect(unserved.answer).toMatchObject({ status: 404, reason: "", name: null, message: "404 page not found" });
});

test("a server that ends every connection is unreachable, with the command that must work", async () => {
  const proxy = await tcpProxy(cluster.server);
  proxy.cut({ refuse: true });
  await chooseContexts(cluster, { name: "dev", server: proxy.server });
  const { error, answer } = await failure(readServerVersion(await connect("dev"), soon()));
  expect(error).toMatchObject({ code: "cluster_unreachable", nextStep: expect.stringContaining("kubectl --context dev version") });
  expect(answer).toBeNull();
});

test("a server whose certificate another authority signed is not talked to", async () => {
  const { cert } = await generate([{ name: "commonName", value: "another authority" }]);
  await chooseContexts(cluster, { name: "dev", authority: cert });
  const { error } = await failure(readServerVersion(await connect("dev"), soon()));
  expect(error).toMatchObject({ code: "cluster_unreachable", clusterMessage: expect.stringMatching(/certificate|CERT|SIGNATURE/i) });
});

test("an abort ends a request at once, also to a server that takes connections and says nothing", async () => {
  const proxy = await tcpProxy(cluster.server);
  await chooseContexts(cluster, { name: "dev", server: proxy.server });
  const connection = await connect("dev");
  proxy.stall();
  const stop = new AbortController();
  const aborted = failure(requestJson(connection, { path: "/version", signal: stop.signal }));
  const reason = new Error("cancelled");
  await expect.poll(() => proxy.open()).toBe(1);
  const abortedAt = performance.now();
  stop.abort(reason);
  expect((await aborted).error).toBe(reason);
  expect(performance.now() - abortedAt).toBeLessThan(1_000);
});

test("an answer that stops half way is timed out, not waited for", async () => {
  await chooseContexts(cluster, { name: "dev" });
  const connection = await connect("dev");
  const { resourceVersion } = (await api.list("/apis/apiextensions.k8s.io/v1/customresourcedefinitions?limit=1")).metadata;
  // A watch without bookmarks on a quiet resource: headers come, and then nothing.
  const path = `/api/v1/namespaces/default/podtemplates?watch=1&resourceVersion=${resourceVersion}`;
  const { error } = await failure(requestJson(connection, { path, signal: soon(), timeoutMs: 500 }));
  expect(error).toMatchObject({ code: "cluster_timeout" });
});

test("every request is counted by how it ended, its error by its code, and one that was given up by neither", async () => {
  const { byMethod, errors } = apiRequests();
  const counts = () => ({ ...Object.fromEntries(byMethod.get("GET")?.byStatus ?? []), ...Object.fromEntries(errors) });
  byMethod.clear();
  errors.clear();
  const proxy = await tcpProxy(cluster.server);
  proxy.cut({ refuse: true });
  await chooseContexts(cluster, { name: "a" }, { name: "cut", server: proxy.server });
  const [connection, cut] = [await connect("a"), await connect("cut")];
  await readServerVersion(connection, soon());
  await failure(requestJson(connection, { path: "/nothing", signal: soon() }));
  await failure(requestJson(connection, { path: "/metrics", signal: soon() }));
  await failure(requestJson(cut, { path: "/version", signal: soon() }));
  await failure(requestJson(connection, { path: "/version", signal: AbortSignal.abort(new Error("given up")) }));
  expect(counts()).toEqual({ 0: 1, 200: 2, 404: 1, not_found: 1, cluster_unreachable: 2 });
});

test("the server's clock comes with every answer", async () => {
  await chooseContexts(cluster, { name: "dev" });
  const { serverTime } = await requestJson(await connect("dev"), { path: "/version", signal: soon() });
  expect(Math.abs((serverTime ?? 0) - Date.now())).toBeLessThan(5_000);
});

test("says in the audit log which version and which run it is", async () => {
  const { version } = JSON.parse(await readFile(path.resolve("package.json"), "utf8"));
  await chooseContexts(cluster, { name: "dev" });
  const connection = await connect("dev");
  const seen: string[] = [];
  const dispatcher = connection.dispatcher.compose((dispatch) => (options, handler) => {
    seen.push(String((options.headers as Record<string, string>)["user-agent"]));
    return dispatch(options, handler);
  });
  await requestJson(connection, { path: "/version", signal: soon(), dispatcher });
  await requestJson(connection, { path: "/version", signal: soon(), dispatcher, runId: "run-1" });
  expect(seen).toEqual([`crdshift/${version}`, `crdshift/${version} (run=run-1)`]);
});
