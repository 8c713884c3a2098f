import { z } from "zod";
import { objectNameSchema, rejectionGroupSchema } from "#lib/contract/object-name.ts";
import { time } from "#lib/contract/time.ts";

/** GET …/managed-fields: whose entries name which version, in how many objects. Grows, as ndjson, while it is counted. */
export const managedFieldsSchema = z.object({
  total: z.int().nullable(),
  scanned: z.int(),
  complete: z.boolean(),
  asOf: time,
  versions: z.array(
    z.object({
      version: z.string(),
      /** `missing`: no longer in spec.versions, which breaks server-side apply of these objects now. */
      standing: z.enum(["storage", "served", "unserved", "missing"]),
      objects: z.int(),
      managers: z.array(
        z.object({
          manager: z.string(),
          operation: z.string(),
          subresource: z.string(),
          objects: z.int(),
          /** The newest time of these entries, whichever object has it; null where none has a time. */
          lastWrite: time.nullable(),
        }),
      ),
      /** Managers beyond those listed. */
      moreManagers: z.int(),
    }),
  ),
});
export type ManagedFields = z.infer<typeof managedFieldsSchema>;

/** Body of POST …/managed-fields/clean: entries of these versions are carried over to the storage version. */
export const cleanManagedFieldsSchema = z.strictObject({
  versions: z.array(z.string()).min(1),
  /** Nothing is stored; the examples show what would be. */
  dryRun: z.boolean().optional(),
});
export type CleanManagedFields = z.infer<typeof cleanManagedFieldsSchema>;

const entrySchema = z.object({ manager: z.string(), operation: z.string(), version: z.string(), subresource: z.string() });

/** The answer of POST …/managed-fields/clean, as ndjson while it goes on. It ends when the request does; what is done stays. */
export const cleaningSchema = z.object({
  complete: z.boolean(),
  dryRun: z.boolean(),
  /** The version that entries are carried over to. */
  version: z.string(),
  total: z.int().nullable(),
  scanned: z.int(),
  cleaned: z.int(),
  /** Objects without such an entry. */
  untouched: z.int(),
  gone: z.int(),
  rejected: z.int(),
  rejections: z.array(rejectionGroupSchema),
  examples: z.array(z.object({ object: objectNameSchema, before: z.array(entrySchema), after: z.array(entrySchema) })),
});
export type Cleaning = z.infer<typeof cleaningSchema>;
