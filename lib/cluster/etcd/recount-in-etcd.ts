import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { countInEtcd } from "./count-in-etcd.ts";
import { rememberCount } from "./remember-count.ts";

/** Counts a definition's objects in etcd for its state. If etcd fails or belongs to another cluster, nothing changes. */
export async function recountInEtcd(connection: Connection, crd: Crd, signal: AbortSignal): Promise<void> {
  for await (const reading of countInEtcd(crd, signal)) {
    if (reading.kind === "complete") rememberCount(connection, crd, reading.count);
  }
}
