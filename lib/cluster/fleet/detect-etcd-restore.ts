import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Undone } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { logProblem } from "#lib/process-wide/log-problem.ts";
import type { Known } from "./left-known.ts";

type Seen = Pick<Crd, "uid" | "resourceVersion">;

/** The resourceVersions that a restore of etcd undid; or none of the definitions are those that were known. */
export type Elsewhere = Undone | "another-cluster";

/**
 * Whether a list is of a restored etcd, or of another one: it, or a definition in it, is older than what was known by its name, or of its
 * deletion, before the list was asked for. Null otherwise: the API server never lists an older state than it has told before.
 */
export function detectEtcdRestore(listedAt: string, listed: ReadonlyMap<string, Seen>, { heard, seen }: Known): Elsewhere | null {
  const isOlder = ([name, { resourceVersion }]: [string, Seen]) => {
    const now = listed.get(name);
    return now !== undefined && compareResourceVersions(now.resourceVersion, resourceVersion) < 0;
  };
  if (heard === "" || (compareResourceVersions(listedAt, heard) >= 0 && ![...seen].some(isOlder))) return null;
  const uids = new Set([...seen.values()].map(({ uid }) => uid));
  if (uids.size > 0 && listed.size > 0 && ![...listed.values()].some(({ uid }) => uids.has(uid))) return "another-cluster";
  const known = newest([heard, ...[...seen.values()].map(({ resourceVersion }) => resourceVersion)]);
  const held = newest([...listed.values()].map(({ resourceVersion }) => resourceVersion));
  // With `etcdutl snapshot restore --bump-revision`, the list itself is far above all that was undone.
  return { to: compareResourceVersions(listedAt, known) < 0 ? listedAt : held, from: known };
}

/** Says so in the log: people trust in what a backup of etcd brings back, and crdshift no longer does. */
export function tellRestore({ name }: Connection, { to, from }: Undone): void {
  logProblem("warn", {
    cluster: name,
    message:
      `etcd was restored: crdshift knew resourceVersion ${from}, and the cluster is back at ${to}. crdshift lists the definitions again, ` +
      "and no longer believes what it has seen or proven since the backup.",
  });
}

function newest(resourceVersions: readonly string[]): string {
  return resourceVersions.reduce((newer, one) => (compareResourceVersions(one, newer) > 0 ? one : newer), "");
}
