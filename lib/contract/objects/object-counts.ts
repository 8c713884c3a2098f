import { z } from "zod";
import { totalBases } from "#lib/contract/definition/crd.ts";
import { time } from "#lib/contract/time.ts";
import type { StoredBasis } from "#lib/domain/objects/object-counts.ts";

/** How it is known how many objects are stored in a version. */
const storedBases = ["proof", "etcd", "settle-point", "declared", "none"] as const satisfies readonly StoredBasis[];

export const versionCountSchema = z.object({
  name: z.string(),
  /** Null bounds: not known, not zero. */
  stored: z.object({ atLeast: z.int().nullable(), atMost: z.int().nullable(), basis: z.enum(storedBases) }),
  /** Objects whose newest managedFields entry names this version: evidence about clients, not about storage. */
  lastWrittenAs: z.int().nullable(),
  /** Objects with any managedFields entry that names this version. */
  managedFieldsAs: z.int().nullable(),
});
export type VersionCount = z.infer<typeof versionCountSchema>;

/** How far etcd has been read, where one is configured that is this cluster's. `stored` rests on it where its basis is etcd. */
const etcdReadingSchema = z.object({
  /** When the revision that is read was the newest. */
  asOf: time,
  revision: z.string(),
  /** Objects at that revision, and how many of them have been read. */
  total: z.int(),
  read: z.int(),
  /** Objects whose version can't be known there. */
  encrypted: z.int(),
  unreadable: z.int(),
});

/** One answer, or with ndjson one line of many as the count grows. */
export const objectCountsSchema = z.object({
  total: z.int().nullable(),
  basis: z.enum(totalBases),
  /** Why the list or etcd can't tell all: the cluster's words, and what is encrypted, unreadable, failed, or another cluster's. */
  message: z.string().nullable(),
  asOf: time,
  /** False while it still counts. */
  complete: z.boolean(),
  /** Objects looked at so far. */
  scanned: z.int(),
  /** Null where no etcd is configured, it failed, or it is another cluster's. */
  etcd: etcdReadingSchema.nullable(),
  /** In priority order; also versions that only managedFields, storedVersions or etcd name, last. */
  versions: z.array(versionCountSchema),
});
export type ObjectCounts = z.infer<typeof objectCountsSchema>;
