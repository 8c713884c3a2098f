import { z } from "zod";
import { time } from "#lib/contract/time.ts";

/**
 * GET …/crds/{crd}/requests: requests at each version since the answering API server started, as that server counted them.
 * Excludes requests for unserved versions (404), and denied or unauthenticated ones.
 */
export const versionRequestsSchema = z.object({
  asOf: time,
  /** When that API server started; null if it doesn't say. */
  startedAt: time.nullable(),
  /** Most requests first. Includes dry runs; a watch counts once it ends. */
  requests: z.array(
    z.object({
      version: z.string(),
      /** As the API server counts them: GET, LIST, WATCH, POST, PUT, PATCH, APPLY, DELETE, other. */
      verb: z.string(),
      /** The HTTP status of the answer; "0" if the client disconnected first. */
      code: z.string(),
      /** Empty, `status` or `scale`. */
      subresource: z.string(),
      requests: z.int(),
    }),
  ),
  /** Open watches by version. */
  openWatches: z.array(z.object({ version: z.string(), watches: z.int() })),
  /** Requested while marked deprecated. */
  deprecatedRequested: z.array(z.object({ version: z.string(), subresource: z.string() })),
});
export type VersionRequests = z.infer<typeof versionRequestsSchema>;
