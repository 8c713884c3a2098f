import { z } from "zod";
import { time } from "#lib/contract/time.ts";

/**
 * GET …/crds/{crd}/requests: what has been requested at each version, as counted by the one API server that answered, since it started.
 * Not counted are requests for a version that is not served (404), and those that were denied or not authenticated.
 */
export const versionRequestsSchema = z.object({
  asOf: time,
  /** When that API server started; null where it does not say. */
  startedAt: time.nullable(),
  /** Most requests first. Dry runs are among the others; a watch counts once it has ended. */
  requests: z.array(
    z.object({
      version: z.string(),
      /** As the API server counts them: GET, LIST, WATCH, POST, PUT, PATCH, APPLY, DELETE, other. */
      verb: z.string(),
      /** The HTTP status of the answer; "0" where the client was gone before it. */
      code: z.string(),
      /** Empty, `status` or `scale`. */
      subresource: z.string(),
      requests: z.int(),
    }),
  ),
  /** How many watches are open. */
  openWatches: z.array(z.object({ version: z.string(), watches: z.int() })),
  /** What was requested while the version was marked deprecated. */
  deprecatedRequested: z.array(z.object({ version: z.string(), subresource: z.string() })),
});
export type VersionRequests = z.infer<typeof versionRequestsSchema>;
