import type { QueryClient } from "@tanstack/react-query";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { crdQuery, crdsQuery } from "./crd-queries.ts";
import { objectCountsQuery } from "./object-counts-query.ts";

/** Shows a definition as an action has just answered it, and asks anew for what follows from it; that is not waited for. */
export function putDetail(client: QueryClient, cluster: string, detail: CrdDetail): void {
  client.setQueryData(crdQuery(cluster, detail.name).queryKey, detail);
  void client.invalidateQueries({ queryKey: crdsQuery(cluster).queryKey });
  void client.invalidateQueries({ queryKey: objectCountsQuery(cluster, detail.name).queryKey });
}
