import { z } from "zod";
import { expectedGeneration } from "./expected-generation.ts";

/** Body of POST …/crds/{crd}/conversion/drop. With `expectedGeneration` nothing is changed unless the definition's generation is that. */
export const dropConversionSchema = z.strictObject({ expectedGeneration });
export type DropConversionBody = z.infer<typeof dropConversionSchema>;

/** Body of POST …/crds/{crd}/conversion/restore, likewise. */
export const putBackConversionSchema = z.strictObject({ expectedGeneration });
export type PutBackConversionBody = z.infer<typeof putBackConversionSchema>;
