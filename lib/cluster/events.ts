import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { z } from "zod";
import { type Action, actionOfReason, actions } from "#lib/domain/action.ts";
import type { Crd } from "#lib/domain/crd.ts";
import type { HistoryFact } from "#lib/domain/history.ts";
import type { Connection } from "./connection.ts";
import { eventMessage } from "./event-message.ts";
import { requestJson } from "./request.ts";

/** Where the API server wants Events about objects that have no namespace: kubernetes/pkg/apis/core/validation/events.go. */
export const EVENTS_NAMESPACE = "default";
const EVENTS = `/api/v1/namespaces/${EVENTS_NAMESPACE}/events`;

const COMPONENT = "crdshift";
const RUN_ANNOTATION = "crdshift.dev/run";
const USER_ANNOTATION = "crdshift.dev/by";

// A limit of the same file, and of names.
const MAX_INSTANCE = 128;
const MAX_NAME_PREFIX = 200;
// None that crdshift writes is longer; others' may be.
const MAX_ANNOTATION = 256;

/** Anybody may have written Events of any size; a page of them must stay small. */
const PAGE_SIZE = 50;
const MAX_PAGES = 20;
const LIST_TIMEOUT_MS = 10_000;

/** Writes an action as an Event about the definition. Throws AppError where the cluster does not take it. */
export async function createEvent(
  connection: Connection,
  crd: Pick<Crd, "name" | "uid">,
  action: Action,
  options: { signal: AbortSignal; timeoutMs: number },
): Promise<void> {
  const { reason, type } = actions[action.kind];
  const event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: `${crd.name.slice(0, MAX_NAME_PREFIX).replace(/[.-]+$/, "")}.${randomBytes(8).toString("hex")}`,
      namespace: EVENTS_NAMESPACE,
      annotations: { ...(action.run && { [RUN_ANNOTATION]: action.run }), ...(action.by && { [USER_ANNOTATION]: action.by }) },
    },
    involvedObject: { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name: crd.name, uid: crd.uid },
    ...{ type, reason, action: reason, message: eventMessage(action.message) },
    eventTime: microTime(action.at),
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

const optionalTime = z.string().nullish();
const listSchema = z.object({
  metadata: z.object({ continue: z.string().optional() }),
  items: z.array(
    z.object({
      metadata: z.object({ creationTimestamp: optionalTime, annotations: z.record(z.string(), z.string()).default({}) }),
      reason: z.string().default(""),
      message: z.string().default(""),
      ...{ eventTime: optionalTime, lastTimestamp: optionalTime },
    }),
  ),
});

/**
 * What crdshift's Events tell about the definition, as long as the API server keeps them; `complete` is false where there are more
 * than a thousand. Throws AppError where they can't be listed.
 */
export async function listEvents(
  connection: Connection,
  crd: Pick<Crd, "name" | "uid">,
  signal: AbortSignal,
): Promise<{ facts: HistoryFact[]; complete: boolean }> {
  const fieldSelector = [
    `involvedObject.kind=CustomResourceDefinition,involvedObject.name=${crd.name},involvedObject.uid=${crd.uid}`,
    `reportingComponent=${COMPONENT}`,
  ].join(",");
  const facts: HistoryFact[] = [];
  let next: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const query = new URLSearchParams({ fieldSelector, limit: String(PAGE_SIZE), ...(next && { continue: next }) });
    const { json } = await requestJson(connection, { path: `${EVENTS}?${query}`, signal, timeoutMs: LIST_TIMEOUT_MS });
    const { metadata, items } = listSchema.parse(json);
    facts.push(...items.map(factOf));
    next = metadata.continue || undefined;
    if (!next) return { facts, complete: true };
  }
  return { facts, complete: false };
}

function factOf({ metadata, reason, message, eventTime, lastTimestamp }: z.infer<typeof listSchema>["items"][number]): HistoryFact {
  const at = eventTime ?? lastTimestamp ?? metadata.creationTimestamp ?? new Date(0).toISOString();
  return {
    kind: actionOfReason(reason) ?? "other",
    at: new Date(at).toISOString(),
    by: metadata.annotations[USER_ANNOTATION]?.slice(0, MAX_ANNOTATION) ?? null,
    run: metadata.annotations[RUN_ANNOTATION]?.slice(0, MAX_ANNOTATION) ?? null,
    message: eventMessage(message || reason),
  };
}

// Exactly six digits: apimachinery/pkg/apis/meta/v1/micro_time.go.
function microTime(at: string): string {
  return new Date(at).toISOString().replace("Z", "000Z");
}
