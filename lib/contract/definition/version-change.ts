import { z } from "zod";
import { lossSchema } from "#lib/contract/rewrite/dry-run.ts";
import { time } from "#lib/contract/time.ts";
import type { FlipLosses } from "#lib/domain/versions/storage-flip.ts";

/** The generation of the definition that somebody looked at before they decided; without it any will do. */
export const expectedGeneration = z.int().positive().optional();

/** The API server takes no longer one: apiextensions validation, MaxDeprecationWarningLength. */
const WARNING_MAX = 256;

/**
 * Body of PATCH …/crds/{crd}/versions/{version}: what is to be changed. Only another version can take the storage flag away, so
 * `storage: false` is not there. With `expectedGeneration` nothing is changed unless the definition's generation is that.
 */
export const versionChangeSchema = z.strictObject({
  served: z.boolean().optional(),
  storage: z
    .literal(true, { error: "must be true: make another version the storage version instead of taking the flag from this one" })
    .optional(),
  deprecated: z.boolean().optional(),
  deprecationWarning: z.string().max(WARNING_MAX).nullable().optional(),
  /**
   * Where the storage flag moves and nothing converts: what objects lose by that (GET …/losses) is accepted. With paths it is these and no
   * others; with `true` whatever is found, or that it can't be known.
   */
  acceptLosses: z.union([z.literal(true), z.array(z.string())]).optional(),
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

/** What POST …/versions/{version}/preview answers to such a body: what the change would be and do. Nothing is written. */
export const versionChangePreviewSchema = z.object({
  /** The generation of the definition that it was made for. */
  generation: z.int(),
  /** The steps of the JSON patch, each version by its place in the spec, which is tested. */
  patch: z.array(patchStepSchema),
  /** What it brings about, a sentence each, the gravest first. */
  effects: z.array(z.string()),
  /** What stands in the way by crdshift's rules, and what to do; null when nothing does. */
  refusal: z.string().nullable(),
  /** What the API server says to it in a dry run, by field; null when it would take it, or was not asked. */
  rejection: z.object({ message: z.string(), fields: z.array(z.object({ field: z.string(), message: z.string() })) }).nullable(),
});
export type VersionChangePreview = z.infer<typeof versionChangePreviewSchema>;

/**
 * Body of POST …/crds/{crd}/versions/{version}/remove: `confirm` is the version's name. Without `acceptManagedFields` nothing is removed
 * while objects' managedFields name the version, or may.
 */
export const removeVersionSchema = z.strictObject({
  confirm: z.string(),
  acceptManagedFields: z.literal(true).optional(),
  expectedGeneration,
});
export type RemoveVersionBody = z.infer<typeof removeVersionSchema>;

/** Body of POST …/crds/{crd}/versions/{version}/restore: an entry of spec.versions as YAML; without it what the removal kept. */
export const putBackVersionSchema = z.strictObject({ yaml: z.string().optional(), expectedGeneration });
export type PutBackVersionBody = z.infer<typeof putBackVersionSchema>;

/** What GET …/versions/{version}/losses answers: what objects would lose if they were written with it as the storage version. */
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
