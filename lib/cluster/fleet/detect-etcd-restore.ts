import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Undone } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import { isOlderState, type StateOfDefinition } from "#lib/domain/definition/is-older-state.ts";
import { compareResourceVersions, mustBeRestored } from "#lib/domain/objects/resource-version.ts";
import { logProblem } from "#lib/process-wide/log-problem.ts";
import type { KnownStates } from "./known-states.ts";

/** The resourceVersions that a restore of etcd undid; or none of the definitions are those that were known. */
export type Elsewhere = Undone | "another-cluster";

/**
 * Whether a list is of a restored etcd, or of another one: it, or a definition in it, is older than what was known by its name, or of its
 * deletion, before the list was asked for; or it is far newer than writes can have made it. Null otherwise: the API server never lists an
 * older state than it has told before.
 */
export function detectEtcdRestore(
  listedAt: string,
  listed: ReadonlyMap<string, StateOfDefinition>,
  { heard, heardAt, states }: KnownStates,
): Elsewhere | null {
  const isOlder = ([name, known]: [string, StateOfDefinition]) => {
    const now = listed.get(name);
    return now !== undefined && isOlderState(now, known);
  };
  if (heard === "" || !(mustBeRestored(listedAt, { resourceVersion: heard, at: heardAt }) || [...states].some(isOlder))) return null;
  const uids = new Set([...states.values()].map(({ uid }) => uid));
  if (uids.size > 0 && listed.size > 0 && ![...listed.values()].some(({ uid }) => uids.has(uid))) return "another-cluster";
  const from = newest([heard, ...[...states.values()].map(({ resourceVersion }) => resourceVersion)]);
  // Only what is as it was known is surely from before the backup. The list, and a definition in it, may have been written since the restore.
  const unchanged = [...listed].filter(([name, { uid, resourceVersion }]) => {
    const known = states.get(name);
    return known?.uid === uid && known.resourceVersion === resourceVersion;
  });
  return { to: newest(["0", ...unchanged.map(([, { resourceVersion }]) => resourceVersion)]), from };
}

/** Says so in the log: people trust in what a backup of etcd brings back, and crdshift no longer does. */
export function tellRestore({ name }: Connection, { from }: Undone): void {
  logProblem("warn", {
    cluster: name,
    message:
      `etcd was restored: the cluster is back at a state from before resourceVersion ${from}. crdshift lists the definitions again, ` +
      "and no longer believes what it has seen or proven since the backup.",
  });
}

function newest(resourceVersions: readonly string[]): string {
  return resourceVersions.reduce((newer, one) => (compareResourceVersions(one, newer) > 0 ? one : newer), "");
}
