import { z } from "zod";
import { definitionBases, totalBases } from "#lib/contract/definition/crd.ts";
import { time } from "#lib/contract/time.ts";
import type { StoredBasis } from "#lib/domain/objects/basis-of-bounds.ts";

/** The basis of a stored count. */
const storedBases = [...definitionBases, "etcd"] as const satisfies readonly StoredBasis[];

export const versionCountSchema = z.object({
  name: z.string(),
  /** Null bounds mean unknown, not zero. */
  stored: z.object({ atLeast: z.int().nullable(), atMost: z.int().nullable(), basis: z.enum(storedBases) }),
  /** Objects whose newest managedFields entry names this version: evidence about clients, not about storage. */
  lastWrittenAs: z.int().nullable(),
  /** Objects with any managedFields entry that names this version. */
  managedFieldsAs: z.int().nullable(),
});
export type VersionCount = z.infer<typeof versionCountSchema>;

/** Progress of reading etcd, if this cluster's etcd is configured. `stored` counts with basis etcd rest on it. */
const etcdReadingSchema = z.object({
  /** When that revision was the newest. */
  asOf: time,
  revision: z.string(),
  /** Objects at that revision, and how many were read. */
  total: z.int(),
  read: z.int(),
  /** Objects whose version etcd can't tell. */
  encrypted: z.int(),
  unreadable: z.int(),
});

/** The response, or one ndjson line of many as the count grows. */
export const objectCountsSchema = z.object({
  total: z.int().nullable(),
  basis: z.enum(totalBases),
  /** Why counts are incomplete: the cluster's message, and whether etcd is encrypted, unreadable, failing, or another cluster's. */
  message: z.string().nullable(),
  asOf: time,
  /** False while counting. */
  complete: z.boolean(),
  /** Objects scanned so far. */
  scanned: z.int(),
  /** The definition as these bounds take it; once it differs, they say nothing about it. */
  definition: z.object({
    uid: z.string(),
    generation: z.int(),
    storedVersions: z.array(z.string()),
    basisOfBounds: z.enum(definitionBases),
  }),
  /** Null if etcd is not configured, failed, or belongs to another cluster. */
  etcd: etcdReadingSchema.nullable(),
  /** In priority order, then versions that only managedFields, storedVersions, or etcd name. */
  versions: z.array(versionCountSchema),
});
export type ObjectCounts = z.infer<typeof objectCountsSchema>;
