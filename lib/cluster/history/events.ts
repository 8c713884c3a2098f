import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { plainText } from "#lib/cluster/transport/plain-text.ts";
import { requestJson } from "#lib/cluster/transport/request.ts";
import { halvedWhileTooLarge } from "#lib/cluster/transport/whole-answer.ts";
import { type Action, actionOfReason, actions } from "#lib/domain/audit/action.ts";
import type { HistoryFact } from "#lib/domain/audit/history.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";

/** The namespace that the API server requires for Events about cluster-scoped objects: kubernetes/pkg/apis/core/validation/events.go. */
export const EVENTS_NAMESPACE = "default";
const EVENTS = `/api/v1/namespaces/${EVENTS_NAMESPACE}/events`;

const COMPONENT = "crdshift";
const RUN_ANNOTATION = "crdshift.dev/run";
const USER_ANNOTATION = "crdshift.dev/by";
const VERSIONS_ANNOTATION = "crdshift.dev/versions";

// A limit of the same file, and of names.
const MAX_INSTANCE = 128;
const MAX_NAME_PREFIX = 200;
// crdshift never writes longer ones; others may.
const MAX_ANNOTATION = 256;
const MAX_VERSIONS = 4_096;
/** Whoever may create Events may write nothing but commas. */
const MOST_VERSIONS = 100;
/** Of all Events that are read together. crdshift's own have a handful each, and not all have any. */
const MOST_VERSIONS_IN_ALL = 5_000;

const MAX_MICROSECONDS = 999;

/** Small, because anyone may write Events of any size; 14,000 annotations in each took seconds to parse. */
const PAGE_SIZE = 100;
/** Smaller still, because the API server reads a whole page even if crdshift stops at its first MiB. */
const FIRST_PAGE_SIZE = 20;
const PAGE_MAX_BYTES = 1024 * 1024;
/** Listing stops after this many bytes, several times of what 5,000 of crdshift's own have. */
const LIST_MAX_BYTES = 32 * 1024 * 1024;
const LIST_TIMEOUT_MS = 10_000;
/** An Event's time is trusted only if it differs from the API server's by no more than clocks can. */
const BELIEVED_WITHIN_MS = 24 * 3_600_000;

/**
 * Writes an action as an Event about the definition; `sameBefore` actions of the same millisecond came before it. Throws AppError if
 * the cluster rejects it.
 */
export async function createEvent(
  connection: Connection,
  crd: Pick<Crd, "name" | "uid">,
  action: Action,
  { sameBefore = 0, ...options }: { sameBefore?: number; signal: AbortSignal; timeoutMs: number },
): Promise<void> {
  const { reason, type } = actions[action.kind];
  const event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: `${crd.name.slice(0, MAX_NAME_PREFIX).replace(/[.-]+$/, "")}.${randomBytes(8).toString("hex")}`,
      namespace: EVENTS_NAMESPACE,
      annotations: {
        ...(action.run && { [RUN_ANNOTATION]: action.run }),
        ...(action.by && { [USER_ANNOTATION]: action.by }),
        ...(action.versions && { [VERSIONS_ANNOTATION]: action.versions.join(",") }),
      },
    },
    involvedObject: { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name: crd.name, uid: crd.uid },
    ...{ type, reason, action: reason, message: eventMessage(action.message) },
    eventTime: microTime(action.at, sameBefore),
    // kubectl shows these two as the age.
    ...{ firstTimestamp: action.at, lastTimestamp: action.at, count: 1 },
    ...{ reportingComponent: COMPONENT, reportingInstance: hostname().slice(0, MAX_INSTANCE) || COMPONENT },
    source: { component: COMPONENT },
  };
  await requestJson(connection, {
    method: "POST",
    path: EVENTS,
    body: { type: "application/json", json: JSON.stringify(event) },
    ...options,
    ...(action.run && { runId: action.run }),
  });
}

// One odd Event must not hide the others.
const text = z.string().catch("");
const note = z.string().optional().catch(undefined);
const listSchema = z.object({
  metadata: z.object({ continue: z.string().optional() }),
  items: z.array(
    z.object({
      metadata: z.object({
        creationTimestamp: text,
        annotations: z.object({ [RUN_ANNOTATION]: note, [USER_ANNOTATION]: note, [VERSIONS_ANNOTATION]: note }).catch({}),
      }),
      ...{ reason: text, message: text, eventTime: text, lastTimestamp: text },
    }),
  ),
});

/**
 * crdshift's Events about the definition that the API server still keeps, newest first: up to `most`, and those read within
 * `withinMs`. `complete` is false if there are more; the remaining ones may be newer, since Events are listed by name. Throws AppError
 * if they can't be listed.
 */
export async function listEvents(
  connection: Connection,
  crd: Pick<Crd, "name" | "uid">,
  { most, withinMs, signal }: { most: number; withinMs: number; signal: AbortSignal },
): Promise<{ facts: HistoryFact[]; complete: boolean }> {
  const until = Date.now() + withinMs;
  // Others may set these too: an Event has no selectable field that only crdshift could write (core/v1/conversion.go).
  const fieldSelector = [
    `involvedObject.kind=CustomResourceDefinition,involvedObject.name=${crd.name},involvedObject.uid=${crd.uid}`,
    `reportingComponent=${COMPONENT}`,
  ].join(",");
  const told: { eventTime: string; facts: HistoryFact[] }[] = [];
  let [left, bytesLeft, limit] = [most, LIST_MAX_BYTES, FIRST_PAGE_SIZE];
  const room = { versions: MOST_VERSIONS_IN_ALL };
  let next: string | undefined;
  do {
    const { json, bytes } = await halvedWhileTooLarge(Math.min(limit, left), (fitting) => {
      limit = fitting;
      const query = new URLSearchParams({ fieldSelector, limit: String(limit), ...(next && { continue: next }) });
      const maxBytes = limit > 1 ? { maxBytes: PAGE_MAX_BYTES } : {};
      return requestJson(connection, { path: `${EVENTS}?${query}`, signal, timeoutMs: LIST_TIMEOUT_MS, ...maxBytes });
    });
    const { metadata, items } = listSchema.parse(json);
    told.push(...items.map((event) => ({ eventTime: event.eventTime, facts: factOf(event, room) })));
    left -= items.length;
    bytesLeft -= bytes;
    const fitting = Math.floor((PAGE_MAX_BYTES * items.length) / bytes);
    limit = Math.max(1, Math.min(fitting, limit * 2, PAGE_SIZE));
    next = metadata.continue || undefined;
  } while (next && left > 0 && bytesLeft > 0 && Date.now() < until);
  // Compares text, since a Date would round off the digits that keep the order within a millisecond.
  told.sort((one, other) => (other.eventTime > one.eventTime ? 1 : other.eventTime < one.eventTime ? -1 : 0));
  return { facts: told.flatMap(({ facts }) => facts), complete: next === undefined };
}

type EventJson = z.infer<typeof listSchema>["items"][number];

function factOf(event: EventJson, room: { versions: number }): HistoryFact[] {
  const at = timeOf(event);
  if (at === null) return [];
  const { metadata, reason, message } = event;
  const noted = (annotation: keyof typeof metadata.annotations, most = MAX_ANNOTATION) => {
    const value = metadata.annotations[annotation];
    // A slice alone would keep the whole text in memory.
    return value === undefined ? null : plainText([...value.slice(0, most)].join(""));
  };
  const versions = room.versions > 0 ? noted(VERSIONS_ANNOTATION, MAX_VERSIONS)?.split(",").slice(0, MOST_VERSIONS) : null;
  room.versions -= versions?.length ?? 0;
  return [
    {
      ...{ kind: actionOfReason(reason) ?? "other", at: new Date(at).toISOString() },
      ...{ by: noted(USER_ANNOTATION), run: noted(RUN_ANNOTATION), message: eventMessage(message || reason) },
      ...(versions && { versions }),
    },
  ];
}

/** In ms since the epoch. Only an Event's creation time comes from the API server. */
function timeOf({ metadata, eventTime, lastTimestamp }: EventJson): number | null {
  const created = Date.parse(metadata.creationTimestamp);
  if (Number.isNaN(created)) return null;
  const isBelieved = (at: number) => Math.abs(at - created) <= BELIEVED_WITHIN_MS;
  return [eventTime, lastTimestamp].map((at) => Date.parse(at)).find(isBelieved) ?? created;
}

// Exactly six digits: apimachinery/pkg/apis/meta/v1/micro_time.go. The last three keep the order within a millisecond.
function microTime(at: string, sameBefore: number): string {
  const microseconds = String(Math.min(sameBefore, MAX_MICROSECONDS)).padStart(3, "0");
  return new Date(at).toISOString().replace("Z", `${microseconds}Z`);
}

/** In bytes, as in kubernetes/pkg/apis/core/validation/events.go. */
const MAX_BYTES = 1_024;

/** A message that fits an Event: plain text, cut between two characters at 1,024 bytes. */
export function eventMessage(message: string): string {
  const text = plainText(message);
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= MAX_BYTES) return text;
  const ellipsis = "…";
  const kept = bytes.subarray(0, MAX_BYTES - Buffer.byteLength(ellipsis)).toString("utf8");
  // A character cut in two decodes as replacement characters.
  return `${kept.replace(/\uFFFD+$/, "")}${ellipsis}`;
}
