import { expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { type FaultProxy, faultProxy, type Match } from "#lib/cluster/testing/fault-proxy.ts";
import { apiClient } from "#lib/local-cluster/api-client.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import type { TestCluster } from "#lib/local-cluster/testing/vitest-global-setup.ts";
import { workerCluster } from "#lib/local-cluster/testing/worker-cluster.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { type EtcdChange, etcdHistory } from "#lib/rewrite/testing/etcd/etcd-history.ts";
import { benchOn } from "./open-test-bench.ts";
import { staleDefinition } from "./stale-definition.ts";
import type { TestBench } from "./test-bench.ts";

/** The bench of a fault test. crdshift reaches the API server through the proxy; the test itself does not. */
export interface FaultBench extends TestBench {
  proxy: FaultProxy;
  /** Every change in etcd since the test began. */
  changes(): Promise<EtcdChange[]>;
}

/** A definition's requests, by purpose. */
export const patchOf =
  (definition: SampleDefinition, name = ""): Match =>
  ({ method, path }) =>
    method === "PATCH" && path.startsWith(`/apis/${definition.group}/`) && path.includes(`/${name}`) && !path.includes("dryRun");
/** Pages of its objects, without the fleet's counts (`limit=1`). */
export const listOf =
  (definition: SampleDefinition): Match =>
  ({ method, path }) =>
    method === "GET" && path.startsWith(`/apis/${definition.group}/`) && /[?&]limit=(?!1\b)\d/.test(path);
/** All of a run's requests about objects, without the fleet's counts. */
export const sentForObjectsOf =
  (definition: SampleDefinition): Match =>
  ({ path, headers }) =>
    path.startsWith(`/apis/${definition.group}/`) && (headers["user-agent"]?.includes("run=") ?? false);
/** Matches, except the first `count`. */
export function past(count: number, match: Match): Match {
  let met = 0;
  return (request) => {
    if (!match(request)) return false;
    met += 1;
    return met > count;
  };
}
/** Writes of the record that contain all of these words. */
export const recordOf =
  (definition: SampleDefinition, ...words: string[]): Match =>
  ({ method, path, body }) =>
    method === "PATCH" && path.includes(`/customresourcedefinitions/${definition.name}?`) && words.every((word) => body.includes(word));
export const statusWriteOf =
  (definition: SampleDefinition): Match =>
  ({ method, path }) =>
    method === "PATCH" && path.includes(`/customresourcedefinitions/${definition.name}/status`);

/**
 * A test with injected faults. At its end, etcd's history of its definitions must be sound, and crdshift must have sent nothing that could
 * create an object.
 */
export function faultTest(
  name: string,
  body: (bench: FaultBench) => Promise<void>,
  options: { timeout?: number; retry?: number } = {},
): void {
  test(name, options, async () => {
    await underFaults(workerCluster(), body);
  });
}

/** Like faultTest, with a separate cluster for the test. */
export async function underFaults(cluster: TestCluster, body: (bench: FaultBench) => Promise<void>): Promise<void> {
  const history = await etcdHistory(cluster.etcd);
  const proxy = await faultProxy(cluster);
  const context = `faults ${proxy.server}`;
  await chooseContexts(cluster, { name: context, server: proxy.server });
  const api = apiClient(cluster);
  onTestFinished(() => api.close());
  const connection = await connect(context);
  onTestFinished(() => fleetOf(connection).stop());
  onTestFinished(stopAllRuns);
  const bench = benchOn(cluster, api, connection);
  const made: SampleDefinition[] = [];
  const define: TestBench["define"] = async (versions, conversion) => {
    const definition = await bench.define(versions, conversion);
    made.push(definition);
    return definition;
  };
  await body({
    ...bench,
    proxy,
    define,
    stale: (count, options) => staleDefinition({ define, flip: bench.flip }, count, options),
    changes: history.changes,
  });
  const changes = await history.changes();
  for (const definition of made) expectSound(changes, definition);
  expect(made.length).toBeGreaterThan(0);
  expect(proxy.seen.filter(couldCreate).map(({ method, path }) => `${method} ${path}`)).toEqual([]);
}

// A merge patch or JSON patch of a missing object is a 404. Reviews are not stored, and Events only report actions.
function couldCreate({
  method,
  path,
  headers,
}: {
  method: string;
  path: string;
  headers: { "content-type"?: string | undefined };
}): boolean {
  if (method === "POST") return !/\/selfsubject(access)?reviews$|^\/api\/v1\/namespaces\/default\/events$/.test(path.split("?")[0] ?? "");
  return method === "PUT" || (method === "PATCH" && !/^application\/(merge|json)-patch\+json/.test(headers["content-type"] ?? ""));
}

interface DefinitionValue {
  status?: { storedVersions?: string[] };
}
interface ObjectValue {
  apiVersion: string;
  metadata: { managedFields?: { manager?: string }[] };
}

/**
 * Checks the promise that holds under every fault, from etcd's history: at no revision is an object stored in a version that
 * status.storedVersions does not list, and crdshift created no object.
 */
function expectSound(changes: readonly EtcdChange[], definition: Pick<SampleDefinition, "name" | "group" | "plural">): void {
  const definitionKey = `/registry/apiextensions.k8s.io/customresourcedefinitions/${definition.name}`;
  const objectPrefix = `/registry/${definition.group}/${definition.plural}/`;
  const stored = new Map<string, string>();
  const violations: string[] = [];
  let listed: string[] | null = null;

  const check = (key: string, revision: bigint) => {
    const version = stored.get(key);
    if (listed && version !== undefined && !listed.includes(version))
      violations.push(`revision ${revision}: ${key} is stored as ${version}, and storedVersions is ${listed}`);
  };
  for (const { key, text, revision, created } of changes) {
    if (key === definitionKey) {
      // Parsed only here; tests parse what they need themselves.
      listed = text === null ? null : ((JSON.parse(text) as DefinitionValue).status?.storedVersions ?? null);
      for (const object of stored.keys()) check(object, revision);
    } else if (key.startsWith(objectPrefix)) {
      if (text === null) {
        stored.delete(key);
        continue;
      }
      const { apiVersion, metadata } = JSON.parse(text) as ObjectValue;
      stored.set(key, apiVersion.slice(apiVersion.lastIndexOf("/") + 1));
      check(key, revision);
      const byUs = metadata.managedFields?.some(({ manager }) => manager === "crdshift");
      if (created && byUs) violations.push(`revision ${revision}: ${key} was created by crdshift`);
    }
  }
  expect(violations).toEqual([]);
  // An oracle that saw nothing proves nothing.
  expect(changes.some(({ key }) => key === definitionKey)).toBe(true);
}
