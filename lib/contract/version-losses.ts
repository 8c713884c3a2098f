import { z } from "zod";
import type { FlipLosses } from "#lib/domain/storage-flip.ts";
import { lossSchema } from "./preflight.ts";
import { time } from "./time.ts";

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
export type { FlipLosses as VersionLosses } from "#lib/domain/storage-flip.ts";
