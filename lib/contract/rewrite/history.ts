import { z } from "zod";
import { time } from "#lib/contract/time.ts";
import { type ActionKind, actions } from "#lib/domain/audit/action.ts";
import { type HistoryKind, historySources } from "#lib/domain/audit/history.ts";

// Object.keys widens known keys to string.
const kinds: readonly HistoryKind[] = [...(Object.keys(actions) as ActionKind[]), "dry-run", "proven", "claimed", "other"];

const historyEntrySchema = z.object({
  kind: z.enum(kinds),
  at: time,
  /** `from` is the source of the name; an Event may name anyone. */
  by: z.object({ user: z.string(), from: z.enum(historySources) }).nullable(),
  run: z.string().nullable(),
  /** The versions it was done to; absent if it was done to none. */
  versions: z.array(z.string()).readonly().optional(),
  message: z.string(),
  sources: z.array(z.enum(historySources)),
});

/** Result of reading Events. */
const eventsReadSchema = z.discriminatedUnion("state", [
  /** `oldest` is null when there are none. `complete` is false when more exist than were read; those may be newer. */
  z.object({ state: z.literal("read"), count: z.int(), oldest: time.nullable(), complete: z.boolean() }),
  z.object({
    state: z.literal("denied"),
    verb: z.literal("list"),
    resource: z.literal("events"),
    namespace: z.string(),
    message: z.string(),
  }),
  z.object({ state: z.literal("failed"), message: z.string() }),
]);

/** Response of GET …/crds/{crd}/history: what crdshift did to a definition, newest first, and how far back the sources reach. */
export const historySchema = z.object({
  items: z.array(historyEntrySchema),
  /** Number of older entries, known only from Events, left out. */
  more: z.int(),
  /** `readable` is false for an annotation that is not crdshift's. */
  annotation: z.object({ readable: z.boolean(), runs: z.int(), mostRuns: z.int() }),
  events: eventsReadSchema,
  asOf: time,
});
export type History = z.infer<typeof historySchema>;
export type EventsRead = z.infer<typeof eventsReadSchema>;
