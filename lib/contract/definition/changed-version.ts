import { z } from "zod";
import { crdDetailSchema } from "./crd.ts";

/**
 * Response of PATCH …/crds/{crd}/versions/{version}: the definition. `warning`: how many objects were checked for losses before the
 * storage flag moved, if not all; otherwise null.
 */
export const changedVersionSchema = crdDetailSchema.extend({ warning: z.string().nullable() });
export type ChangedVersionDetail = z.infer<typeof changedVersionSchema>;
