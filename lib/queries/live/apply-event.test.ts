import { QueryClient } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import { UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import { sampleDetail } from "#lib/cluster/testing/sample-detail.ts";
import type { CrdList, CrdSummary } from "#lib/contract/definition/crd.ts";
import type { RunPhase } from "#lib/domain/rewrite/run.ts";
import { sampleCrd, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { crdQuery, crdsQuery } from "#lib/queries/definition/crd-queries.ts";
import { rewriteQuery } from "#lib/queries/rewrite/rewrite-queries.ts";
import { applyEvent } from "./apply-event.ts";

const cluster = "kind-dev";
const at = "2026-01-01T00:00:00Z";
const unserved = { api: { status: "not-served" as const }, asOf: at };
const otherEngines = { "in-tree": unserved, openshift: unserved };

function crdNamed(name: string): CrdSummary {
  return {
    name,
    uid: name,
    group: "example.com",
    kind: "Thing",
    plural: "things",
    scope: "Namespaced",
    generation: 1,
    versions: [],
    preferredVersion: "v1",
    storageVersion: "v1",
    storedVersions: ["v1"],
    leftoverVersions: [],
    state: "current",
    stateReason: "",
    conversion: "None",
    objects: { total: 0, basis: "list", asOf: at, message: null },
    activeRun: null,
  };
}

function clientWith(...items: CrdSummary[]): QueryClient {
  const client = new QueryClient();
  client.setQueryData(crdsQuery(cluster).queryKey, { items, resourceVersion: "1", otherEngines, asOf: at, stale: false });
  return client;
}

function itemsOf(client: QueryClient): CrdSummary[] {
  return client.getQueryData(crdsQuery(cluster).queryKey)?.items ?? [];
}

describe("an event of the cluster", () => {
  it("adds, replaces and removes definitions in the list", () => {
    const client = clientWith(crdNamed("a.example.com"));
    applyEvent(client, cluster, { event: "crd", data: { type: "upserted", item: crdNamed("b.example.com") } });
    applyEvent(client, cluster, { event: "crd", data: { type: "upserted", item: { ...crdNamed("a.example.com"), state: "prunable" } } });
    expect(itemsOf(client).map(({ name, state }) => [name, state])).toEqual([
      ["a.example.com", "prunable"],
      ["b.example.com", "current"],
    ]);
    applyEvent(client, cluster, { event: "crd", data: { type: "deleted", item: { name: "a.example.com" } } });
    expect(itemsOf(client).map(({ name }) => name)).toEqual(["b.example.com"]);
  });

  it("shows a run on its page and its definition, and removes it from the definition when it ends", () => {
    const client = clientWith(crdNamed("a.example.com"));
    const runOf = (phase: RunPhase) => sampleRun({ crd: "a.example.com", phase });
    applyEvent(client, cluster, { event: "run", data: runOf("rewriting") });
    expect(itemsOf(client)[0]?.activeRun?.phase).toBe("rewriting");
    applyEvent(client, cluster, { event: "run", data: runOf("succeeded") });
    expect(itemsOf(client)[0]?.activeRun).toBeNull();
    expect(client.getQueryData(rewriteQuery(cluster, "a.example.com", "run-1").queryKey)?.phase).toBe("succeeded");
  });

  it("is not overwritten by an older answer that arrives later", async () => {
    const client = clientWith(crdNamed("a.example.com"));
    const answer = Promise.withResolvers<CrdList>();
    const fetching = client.fetchQuery({ ...crdsQuery(cluster), queryFn: () => answer.promise });
    applyEvent(client, cluster, { event: "crd", data: { type: "upserted", item: { ...crdNamed("a.example.com"), state: "blocked" } } });
    answer.resolve({ items: [crdNamed("a.example.com")], resourceVersion: "1", otherEngines, asOf: at, stale: false });
    await fetching;
    await Promise.resolve();
    expect(itemsOf(client)[0]?.state).toBe("blocked");
  });

  it("tells in the list and on every definition's page which engines couldn't be read", () => {
    const client = clientWith();
    const detail = crdQuery(cluster, "a.example.com").queryKey;
    client.setQueryData(detail, sampleDetail(sampleCrd({ name: "a.example.com" }), UNCOUNTED, Date.parse(at)));
    const data = { ...otherEngines, openshift: { api: { status: "failed" as const, message: "busy" }, asOf: null } };
    applyEvent(client, cluster, { event: "engines", data });
    expect(client.getQueryData(crdsQuery(cluster).queryKey)?.otherEngines).toEqual(data);
    expect(client.getQueryData(detail)).toMatchObject({ name: "a.example.com", otherEngines: data });
  });

  it("changes nothing of other clusters", () => {
    const client = clientWith(crdNamed("a.example.com"));
    applyEvent(client, "another", { event: "crd", data: { type: "deleted", item: { name: "a.example.com" } } });
    expect(itemsOf(client)).toHaveLength(1);
  });
});
