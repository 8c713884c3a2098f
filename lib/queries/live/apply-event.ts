import type { QueryClient, QueryKey } from "@tanstack/react-query";
import type { CrdDetail, CrdSummary } from "#lib/contract/definition/crd.ts";
import type { EventData, ServerEvent } from "#lib/contract/events.ts";
import type { OtherEngines } from "#lib/contract/rewrite/migration.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { isLive } from "#lib/domain/rewrite/run.ts";
import { clusterKey, crdDetailsKey, crdQuery, crdsQuery } from "#lib/queries/definition/crd-queries.ts";
import { objectCountsQuery } from "#lib/queries/objects/object-queries.ts";
import { historyQuery, reportsKey, rewriteQuery, rewritesQuery } from "#lib/queries/rewrite/rewrite-queries.ts";

/** Updates a cluster's cached data with an event. */
export function applyEvent(client: QueryClient, cluster: string, event: ServerEvent): void {
  switch (event.event) {
    case "ready":
      refreshAfterGap(client, cluster);
      break;
    case "crd":
      applyCrd(client, cluster, event.data);
      break;
    case "run":
      putRun(client, cluster, event.data);
      break;
    case "engines":
      putEngines(client, cluster, event.data);
      break;
    case "status":
      putStale(client, cluster, event.data.stale);
      break;
    default:
      event satisfies never;
  }
}

/** Updates a run in every query that shows it. */
export function putRun(client: QueryClient, cluster: string, run: Run): void {
  const query = rewriteQuery(cluster, run.crd, run.id);
  const before = client.getQueryData(query.queryKey);
  put(client, query.queryKey, () => client.setQueryData(query.queryKey, run));
  put(client, rewritesQuery(cluster, run.crd).queryKey, () =>
    client.setQueryData(rewritesQuery(cluster, run.crd).queryKey, (list) => list && { items: withRun(list.items, run) }),
  );
  put(client, crdsQuery(cluster).queryKey, () =>
    client.setQueryData(
      crdsQuery(cluster).queryKey,
      (list) => list && { ...list, items: list.items.map((crd) => (crd.name === run.crd ? withActiveRun(crd, run) : crd)) },
    ),
  );
  put(client, crdQuery(cluster, run.crd).queryKey, () =>
    client.setQueryData(crdQuery(cluster, run.crd).queryKey, (detail) => detail && { ...withActiveRun(detail, run), run }),
  );
  // Only the server knows what a run leaves behind: proof, actions, bounds.
  if (before?.phase !== run.phase) {
    void client.invalidateQueries({ queryKey: crdQuery(cluster, run.crd).queryKey });
    refreshRecord(client, cluster, run.crd);
  }
  if (before && isLive(before) && !isLive(run)) void client.invalidateQueries({ queryKey: objectCountsQuery(cluster, run.crd).queryKey });
}

/** Refetches everything on screen, as events may have been missed. */
function refreshAfterGap(client: QueryClient, cluster: string): void {
  for (const query of client.getQueryCache().findAll({ queryKey: clusterKey(cluster), type: "active" })) {
    const again = () => void client.invalidateQueries({ queryKey: query.queryKey, exact: true });
    // A first answer in flight is kept, then requested again.
    if (query.state.data === undefined && query.promise) query.promise.then(again, () => {});
    else again();
  }
  void client.invalidateQueries({ queryKey: clusterKey(cluster), refetchType: "none" });
}

function applyCrd(client: QueryClient, cluster: string, change: EventData<"crd">): void {
  const list = crdsQuery(cluster).queryKey;
  const detail = crdQuery(cluster, change.item.name).queryKey;
  switch (change.type) {
    case "upserted":
      put(client, list, () => client.setQueryData(list, (crds) => crds && { ...crds, items: withCrd(crds.items, change.item) }));
      put(client, detail, () => client.setQueryData(detail, (old): CrdDetail | undefined => old && { ...old, ...change.item }));
      break;
    case "deleted":
      put(client, list, () =>
        client.setQueryData(list, (crds) => crds && { ...crds, items: crds.items.filter((crd) => crd.name !== change.item.name) }),
      );
      break;
    default:
      change satisfies never;
  }
  void client.invalidateQueries({ queryKey: detail });
  refreshRecord(client, cluster, change.item.name);
}

function refreshRecord(client: QueryClient, cluster: string, crd: string): void {
  void client.invalidateQueries({ queryKey: historyQuery(cluster, crd).queryKey });
  void client.invalidateQueries({ queryKey: reportsKey(cluster, crd) });
}

function putStale(client: QueryClient, cluster: string, stale: boolean): void {
  client.setQueryData(crdsQuery(cluster).queryKey, (list) => list && (list.stale === stale ? list : { ...list, stale }));
}

function putEngines(client: QueryClient, cluster: string, otherEngines: OtherEngines): void {
  const list = crdsQuery(cluster).queryKey;
  put(client, list, () => client.setQueryData(list, (crds) => crds && { ...crds, otherEngines }));
  for (const { queryKey } of client.getQueryCache().findAll({ queryKey: crdDetailsKey(cluster) })) {
    put(client, queryKey, () => client.setQueryData<CrdDetail>(queryKey, (detail) => detail && { ...detail, otherEngines }));
  }
}

/** Applies a change now, and again after an answer in flight that may be older than the change. */
function put(client: QueryClient, queryKey: QueryKey, change: () => void): void {
  const query = client.getQueryCache().find({ queryKey, exact: true });
  if (query?.state.fetchStatus === "fetching") query.promise?.then(change, () => {});
  change();
}

function withCrd(items: CrdSummary[], item: CrdSummary): CrdSummary[] {
  const index = items.findIndex((crd) => crd.name === item.name);
  return index < 0 ? [...items, item] : items.with(index, item);
}

function withRun(items: Run[], run: Run): Run[] {
  const index = items.findIndex((item) => item.id === run.id);
  return index < 0 ? [run, ...items] : items.with(index, run);
}

function withActiveRun<Crd extends CrdSummary>(crd: Crd, run: Run): Crd {
  if (isLive(run)) return { ...crd, activeRun: run };
  return crd.activeRun?.id === run.id ? { ...crd, activeRun: null } : crd;
}
