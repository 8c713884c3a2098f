import { z } from "zod";
import { crdSummarySchema } from "./definition/crd.ts";
import { otherEnginesSchema } from "./rewrite/migration.ts";
import { runSchema } from "./rewrite/run.ts";
import { time } from "./time.ts";

/** Data of the server-sent events of GET /api/clusters/{cluster}/events, by event name. */
export const eventSchemas = {
  /** First event of every stream, within a second. */
  ready: z.object({ now: time }),
  crd: z.discriminatedUnion("type", [
    z.object({ type: z.literal("upserted"), item: crdSummarySchema }),
    z.object({ type: z.literal("deleted"), item: z.object({ name: z.string() }) }),
  ]),
  run: runSchema,
  /** Once the migrations of an engine can be read, or can't any more, or for another reason. */
  engines: otherEnginesSchema,
  /** Whether the server's view of the cluster is stale, since when, and why; `denied` when only permissions are missing. */
  status: z.object({ stale: z.boolean(), denied: z.boolean(), since: time.nullable(), message: z.string().nullable() }),
};

export type EventName = keyof typeof eventSchemas;
export type EventData<Name extends EventName> = z.infer<(typeof eventSchemas)[Name]>;
export type ServerEvent = { [Name in EventName]: { event: Name; data: EventData<Name> } }[EventName];
