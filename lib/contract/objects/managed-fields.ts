import { z } from "zod";
import { objectNameSchema, rejectionGroupSchema } from "#lib/contract/object-name.ts";
import { time } from "#lib/contract/time.ts";
import { versionNames } from "#lib/contract/version-names.ts";

/** GET …/managed-fields: managers whose entries name each version, with object counts. Streams as ndjson while counting. */
export const managedFieldsSchema = z.object({
  total: z.int().nullable(),
  scanned: z.int(),
  complete: z.boolean(),
  asOf: time,
  versions: z.array(
    z.object({
      version: z.string(),
      objects: z.int(),
      managers: z.array(
        z.object({
          manager: z.string(),
          operation: z.string(),
          subresource: z.string(),
          objects: z.int(),
          /** The newest time among these entries; null if none has a time. */
          lastWrite: time.nullable(),
        }),
      ),
      /** Managers beyond those listed. */
      moreManagers: z.int(),
    }),
  ),
});
export type ManagedFields = z.infer<typeof managedFieldsSchema>;

/** Far more than a definition has, and few enough to look each up. */
const MOST_VERSIONS = 50;

/** Body of POST …/managed-fields/clean: moves entries of these versions to the storage version. */
export const cleanManagedFieldsSchema = z.strictObject({
  versions: versionNames(MOST_VERSIONS),
  /** Stores nothing; the examples show the result. */
  dryRun: z.boolean().optional(),
});
export type CleanManagedFields = z.infer<typeof cleanManagedFieldsSchema>;

const entrySchema = z.object({ manager: z.string(), operation: z.string(), version: z.string(), subresource: z.string() });

/** Response of POST …/managed-fields/clean, streamed as ndjson. Cleaning stops when the request ends; finished objects stay clean. */
export const cleaningSchema = z.object({
  complete: z.boolean(),
  dryRun: z.boolean(),
  /** The version that entries move to. */
  version: z.string(),
  total: z.int().nullable(),
  scanned: z.int(),
  cleaned: z.int(),
  /** Objects without such an entry that were written to remove an entry that crdshift had left. */
  takenBack: z.int(),
  /** Objects with neither. */
  untouched: z.int(),
  gone: z.int(),
  rejected: z.int(),
  rejections: z.array(rejectionGroupSchema),
  /** What may have been lost all the same; null while nothing is known to be. */
  warning: z.string().nullable(),
  examples: z.array(z.object({ object: objectNameSchema, before: z.array(entrySchema), after: z.array(entrySchema) })),
});
export type Cleaning = z.infer<typeof cleaningSchema>;
