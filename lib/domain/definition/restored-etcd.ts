/** A restore of etcd from a backup: resourceVersion `from` was known, and the cluster went back to `to`. `at`: noticed when (RFC 3339). */
export interface RestoredEtcd {
  at: string;
  from: string;
  to: string;
}

export const RESTORED_TITLE = "etcd was restored from a backup";

/** What a restore of etcd means for a definition, for people. */
export function restoredWords({ from, to }: Pick<RestoredEtcd, "from" | "to">): string {
  return (
    `The cluster went back from resourceVersion ${from} to ${to}. Changes made since the backup are gone, and what crdshift saw or ` +
    "proved since then no longer counts."
  );
}

/** What to do about it. */
export const RESTORED_STEP =
  "Check that spec.versions and status.storedVersions are what you expect, then rewrite again: only a new proof ends this notice.";
