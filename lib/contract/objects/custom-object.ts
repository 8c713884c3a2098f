import { z } from "zod";
import { time } from "#lib/contract/time.ts";

/** GET …/objects: a page of objects, as `kubectl get` prints them at that version. */
export const objectPageSchema = z.object({
  version: z.string(),
  columns: z.array(z.object({ name: z.string(), type: z.string(), description: z.string() })),
  rows: z.array(z.object({ namespace: z.string(), name: z.string(), resourceVersion: z.string(), cells: z.array(z.string()) })),
  resourceVersion: z.string(),
  continue: z.string().nullable(),
  /** Objects after this page; null when the server doesn't say. */
  remaining: z.int().nullable(),
  asOf: time,
});
export type ObjectPage = z.infer<typeof objectPageSchema>;

/**
 * GET …/objects/{name}?namespace=&version=: one object. `text` is the API server's JSON, indented, with unrounded numbers; null if it is
 * too large to show.
 */
export const customObjectSchema = z.object({
  namespace: z.string(),
  name: z.string(),
  version: z.string(),
  resourceVersion: z.string(),
  uid: z.string(),
  text: z.string().nullable(),
  managedFields: z.array(
    z.object({
      manager: z.string(),
      operation: z.string(),
      version: z.string(),
      subresource: z.string(),
      time: z.string().nullable(),
      /** Paths of the fields it owns, at most 200; null if there are too many to show any. */
      fields: z.array(z.string()).nullable(),
    }),
  ),
  asOf: time,
});
export type CustomObject = z.infer<typeof customObjectSchema>;

/** Query of GET …/objects. */
export const objectsQuerySchema = z.object({
  version: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
  continue: z.string().max(8_192).optional(),
});

/** Query of GET …/objects/{name}. */
export const objectQuerySchema = z.object({ namespace: z.string().default(""), version: z.string().optional() });
