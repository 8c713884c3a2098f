/**
 * A restore of etcd from a backup: resourceVersion `from` was known, and the cluster went back to one below it. Nothing up to `to` was undone;
 * "0" if that isn't known of anything. `at`: noticed when (RFC 3339).
 */
export interface RestoredEtcd {
  at: string;
  from: string;
  to: string;
}

export const RESTORED_TITLE = "etcd was restored from a backup";

/** What a restore of etcd means for a definition, for people. */
export function restoredWords({ from }: Pick<RestoredEtcd, "from">): string {
  return (
    `The cluster went back to a state from before resourceVersion ${from}. Changes made since the backup are gone, and what crdshift saw ` +
    "or proved since then no longer counts."
  );
}

/** What to do about it. */
export const RESTORED_STEP =
  "Check that spec.versions and status.storedVersions are what you expect, then rewrite again: only a new proof ends this notice.";
