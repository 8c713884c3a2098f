import { z } from "zod";
import { time } from "#lib/contract/time.ts";
import { findingSeverities } from "#lib/domain/conversion/conversion-lint.ts";
import { expectedGeneration } from "./version-change.ts";

const targetSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("url"), url: z.string() }),
  z.object({ kind: z.literal("service"), namespace: z.string(), name: z.string(), path: z.string().nullable(), port: z.int() }),
  /** Neither is set, which the API server accepts from nobody. */
  z.object({ kind: z.literal("nowhere") }),
]);
export type ConversionTarget = z.infer<typeof targetSchema>;

const certificateSchema = z.object({ subject: z.string(), issuer: z.string(), notBefore: time, notAfter: time });
export type CaCertificate = z.infer<typeof certificateSchema>;

const webhookSchema = z.object({
  target: targetSchema,
  /** In the order in which the API server looks for one that it speaks. */
  conversionReviewVersions: z.array(z.string()),
  /** Null when none is set: the API server then trusts the roots of its own system. */
  ca: z
    .object({
      /** The first so many, in the bundle's order; the findings are about all of them. */
      certificates: z.array(certificateSchema),
      moreCertificates: z.int(),
      /** What of the bundle can't be read; null when all of it can. */
      problem: z.string().nullable(),
    })
    .nullable(),
});
export type ConversionWebhook = z.infer<typeof webhookSchema>;

/** What an object may have at `from` and has no place for at `to`: strategy None drops it. */
const differenceSchema = z.object({
  from: z.string(),
  to: z.string(),
  /** Paths; `*` is any key that the other schema does not name. */
  fields: z.array(z.string()),
  /** Fields beyond those listed. */
  more: z.int(),
});
export type ConversionDifference = z.infer<typeof differenceSchema>;

/** GET …/crds/{crd}/conversion: how objects get from one version to another, and what is wrong with that. Nothing is converted. */
export const conversionSchema = z.object({
  strategy: z.enum(["None", "Webhook"]),
  /** Null with strategy None. */
  webhook: webhookSchema.nullable(),
  /** The pairs of versions that there is cause to convert. */
  pairs: z.int(),
  /** Of these pairs the ones whose schemas differ so, in priority order. */
  differences: z.array(differenceSchema),
  /** Pairs with a difference beyond those listed. */
  moreDifferences: z.int(),
  /** False when the schemas are too large to be compared to their end. */
  differencesComplete: z.boolean(),
  /** The gravest first. */
  findings: z.array(z.object({ severity: z.enum(findingSeverities), message: z.string(), nextStep: z.string() })),
  generation: z.int(),
  asOf: time,
});
export type Conversion = z.infer<typeof conversionSchema>;

/**
 * GET …/crds/{crd}/conversion/probe: one object asked for at each served version, just now. It is stored in one version, so at every
 * other one the conversion has been through with it; where there is no object, nothing was converted.
 */
export const conversionProbeSchema = z.object({
  asOf: time,
  versions: z.array(
    z.object({
      version: z.string(),
      /** How long a list of one object took. The API server may answer it from its cache, where objects are converted already. */
      ms: z.int(),
      /** Of that list; null when it failed. */
      objects: z.literal([0, 1]).nullable(),
      /** How long that object took by its name, which no cache answers; null when it was not asked for. */
      readMs: z.int().nullable(),
      /** The cluster's words; null when all went well. */
      failure: z.string().nullable(),
    }),
  ),
});
export type ConversionProbe = z.infer<typeof conversionProbeSchema>;

/** Body of POST …/crds/{crd}/conversion/drop. With `expectedGeneration` nothing is changed unless the definition's generation is that. */
export const dropConversionSchema = z.strictObject({ expectedGeneration });
export type DropConversionBody = z.infer<typeof dropConversionSchema>;

/** Body of POST …/crds/{crd}/conversion/restore, likewise. */
export const putBackConversionSchema = z.strictObject({ expectedGeneration });
export type PutBackConversionBody = z.infer<typeof putBackConversionSchema>;
