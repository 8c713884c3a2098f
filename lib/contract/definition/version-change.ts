import { z } from "zod";
import { lossSchema } from "#lib/contract/rewrite/dry-run.ts";
import { time } from "#lib/contract/time.ts";
import { VERSION_MAX_LENGTH } from "#lib/domain/definition/stored-versions.ts";
import type { FlipLosses } from "#lib/domain/versions/storage-flip.ts";

/** The generation that the change was decided on; without it, any generation is accepted. */
export const expectedGeneration = z.int().positive().optional();

/** The API server's limit: apiextensions validation, MaxDeprecationWarningLength. */
const WARNING_MAX = 256;

/** More than a check lists: a hundred of each kind, and those of earlier checks, each of at most 300 characters. */
const ACCEPTED_PATHS = { most: 2_000, maxLength: 1_000 };

/** In characters; a body of more bytes is not even read. */
const YAML_MAX_LENGTH = 1024 * 1024;

/**
 * Body of PATCH …/crds/{crd}/versions/{version}: the changes. There is no `storage: false` because only another version can take the
 * storage flag. With `expectedGeneration`, the change applies only at that generation.
 */
export const versionChangeSchema = z.strictObject({
  served: z.boolean().optional(),
  storage: z.literal(true, { error: "must be true: to clear the flag, make another version the storage version" }).optional(),
  deprecated: z.boolean().optional(),
  deprecationWarning: z.string().max(WARNING_MAX).nullable().optional(),
  /**
   * Accepts what objects lose (GET …/losses) when the storage flag moves without conversion. Paths accept only those losses; `true` accepts
   * all of them, including unknown ones.
   */
  acceptLosses: z.union([z.literal(true), z.array(z.string().max(ACCEPTED_PATHS.maxLength)).max(ACCEPTED_PATHS.most)]).optional(),
  expectedGeneration,
});
export type VersionChangeBody = z.infer<typeof versionChangeSchema>;

/** A step of a JSON patch (RFC 6902) that carries no schema. */
export const patchStepSchema = z.discriminatedUnion("op", [
  z.object({
    op: z.enum(["test", "replace", "add"]),
    path: z.string(),
    value: z.union([z.string(), z.boolean(), z.object({ strategy: z.literal("None") })]),
  }),
  z.object({ op: z.literal("remove"), path: z.string() }),
]);

/** Response of POST …/versions/{version}/preview: the change and its effects. Writes nothing. */
export const versionChangePreviewSchema = z.object({
  /** The definition's generation at the preview. */
  generation: z.int(),
  /** Steps of the JSON patch. Each addresses a version by index, and tests that index. */
  patch: z.array(patchStepSchema),
  /** Effects, one sentence each, most severe first. */
  effects: z.array(z.string()),
  /** Why crdshift refuses the change and what to do; null when it doesn't. */
  refusal: z.string().nullable(),
  /** The API server's errors by field from a dry run; null when it accepts the change or was not asked. */
  rejection: z.object({ message: z.string(), fields: z.array(z.object({ field: z.string(), message: z.string() })) }).nullable(),
});
export type VersionChangePreview = z.infer<typeof versionChangePreviewSchema>;

/**
 * Body of POST …/crds/{crd}/versions/{version}/remove: `confirm` is the version's name. Without `acceptManagedFields`, refused while
 * objects' managedFields name the version, or may do so.
 */
export const removeVersionSchema = z.strictObject({
  confirm: z.string().max(VERSION_MAX_LENGTH),
  acceptManagedFields: z.literal(true).optional(),
  expectedGeneration,
});
export type RemoveVersionBody = z.infer<typeof removeVersionSchema>;

/** Body of POST …/crds/{crd}/versions/{version}/restore: an entry of spec.versions as YAML; defaults to the kept entry. */
export const putBackVersionSchema = z.strictObject({ yaml: z.string().max(YAML_MAX_LENGTH).optional(), expectedGeneration });
export type PutBackVersionBody = z.infer<typeof putBackVersionSchema>;

/** Response of GET …/versions/{version}/losses: what objects would lose with it as the storage version. */
export const versionLossesSchema: z.ZodType<FlipLosses> = z.object({
  from: z.string().nullable(),
  to: z.string(),
  generation: z.int(),
  total: z.int().nullable(),
  checked: z.int(),
  losses: z.array(lossSchema),
  moreLosses: z.int(),
  unknownBecause: z.string().nullable(),
  asOf: time,
});
export type { FlipLosses as VersionLosses } from "#lib/domain/versions/storage-flip.ts";
