import { z } from "zod";
import { time } from "#lib/contract/time.ts";
import { type ActionKind, actions } from "#lib/domain/record/action.ts";
import { type HistoryKind, historySources } from "#lib/domain/record/history.ts";

// Object.keys gives text where the keys are known.
const kinds: readonly HistoryKind[] = [...(Object.keys(actions) as ActionKind[]), "dry-run", "proven", "other"];

const historyEntrySchema = z.object({
  kind: z.enum(kinds),
  at: time,
  /** From whose word that is: an Event may name anybody. */
  by: z.object({ user: z.string(), from: z.enum(historySources) }).nullable(),
  run: z.string().nullable(),
  message: z.string(),
  sources: z.array(z.enum(historySources)),
});

/** What became of reading Events. */
const eventsReadSchema = z.discriminatedUnion("state", [
  /** `oldest` is null when there are none; not `complete` when there are more than were read, which may be newer. */
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

/** Answer of GET …/crds/{crd}/history: what crdshift did to a definition, newest first, and how far back that can be known. */
export const historySchema = z.object({
  items: z.array(historyEntrySchema),
  /** How many older entries, known from Events alone, are left out. */
  more: z.int(),
  /** `readable` is false for an annotation that is not crdshift's. */
  annotation: z.object({ readable: z.boolean(), runs: z.int(), mostRuns: z.int() }),
  events: eventsReadSchema,
  asOf: time,
});
export type History = z.infer<typeof historySchema>;
export type EventsRead = z.infer<typeof eventsReadSchema>;
