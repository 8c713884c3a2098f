import { z } from "zod";
import { count } from "./count.ts";

/** An object's name; namespace is empty for a cluster-scoped one. */
export const objectNameSchema = z.object({ namespace: z.string(), name: z.string() });

/** Objects rejected for the same reason, with the server's message verbatim. */
export const rejectionGroupSchema = z.object({
  reason: z.string(),
  message: z.string(),
  count,
  examples: z.array(objectNameSchema),
});
