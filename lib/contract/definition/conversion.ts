import { z } from "zod";
import { time } from "#lib/contract/time.ts";
import { findingSeverities } from "#lib/domain/conversion/conversion-finding.ts";
import { expectedGeneration } from "./version-change.ts";

const targetSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("url"), url: z.string() }),
  z.object({ kind: z.literal("service"), namespace: z.string(), name: z.string(), path: z.string().nullable(), port: z.int() }),
  /** Neither is set, which the API server never accepts. */
  z.object({ kind: z.literal("nowhere") }),
]);
export type ConversionTarget = z.infer<typeof targetSchema>;

const certificateSchema = z.object({ subject: z.string(), issuer: z.string(), notBefore: time, notAfter: time });
export type CaCertificate = z.infer<typeof certificateSchema>;

const webhookSchema = z.object({
  target: targetSchema,
  /** In the order in which the API server looks for one it supports. */
  conversionReviewVersions: z.array(z.string()),
  /** Null when none is set; the API server then trusts its system roots. */
  ca: z
    .object({
      /** The first certificates in bundle order; the findings cover all of them. */
      certificates: z.array(certificateSchema),
      moreCertificates: z.int(),
      /** Which part of the bundle can't be read; null when all of it can. */
      problem: z.string().nullable(),
    })
    .nullable(),
});
export type ConversionWebhook = z.infer<typeof webhookSchema>;

/** Fields that an object may have at `from` but not at `to`; strategy None drops them. */
const differenceSchema = z.object({
  from: z.string(),
  to: z.string(),
  /** Paths; `*` is any key that the other schema does not name. */
  fields: z.array(z.string()),
  /** Fields beyond those listed. */
  more: z.int(),
});
export type ConversionDifference = z.infer<typeof differenceSchema>;

/** GET …/crds/{crd}/conversion: how objects are converted, and any problems. Converts nothing. */
export const conversionSchema = z.object({
  strategy: z.enum(["None", "Webhook"]),
  /** Null with strategy None. */
  webhook: webhookSchema.nullable(),
  /** Number of version pairs that the API server may convert. */
  pairs: z.int(),
  /** Pairs whose schemas differ, in priority order. */
  differences: z.array(differenceSchema),
  /** Differing pairs found beyond those listed. */
  moreDifferences: z.int(),
  /** False when there are too many pairs, or too large schemas, to compare all of them completely. */
  differencesComplete: z.boolean(),
  /** Most severe first. */
  findings: z.array(z.object({ severity: z.enum(findingSeverities), message: z.string(), nextStep: z.string() })),
  generation: z.int(),
  asOf: time,
});
export type Conversion = z.infer<typeof conversionSchema>;

/**
 * GET …/crds/{crd}/conversion/probe: requests one object at each served version. It is stored in one version, so every other one
 * required conversion. Without an object, nothing was converted.
 */
export const conversionProbeSchema = z.object({
  asOf: time,
  versions: z.array(
    z.object({
      version: z.string(),
      /** Duration of a list of one object. The API server may answer from its cache, which holds converted objects. */
      ms: z.int(),
      /** Objects in that list; null when it failed. */
      objects: z.literal([0, 1]).nullable(),
      /** Duration of a get by name, which bypasses the cache; null when not requested. */
      readMs: z.int().nullable(),
      /** The cluster's message; null on success. */
      failure: z.string().nullable(),
    }),
  ),
});
export type ConversionProbe = z.infer<typeof conversionProbeSchema>;

/** Body of POST …/crds/{crd}/conversion/drop. With `expectedGeneration`, the change applies only at that generation. */
export const dropConversionSchema = z.strictObject({ expectedGeneration });
export type DropConversionBody = z.infer<typeof dropConversionSchema>;

/** Body of POST …/crds/{crd}/conversion/restore; `expectedGeneration` as for drop. */
export const putBackConversionSchema = z.strictObject({ expectedGeneration });
export type PutBackConversionBody = z.infer<typeof putBackConversionSchema>;
