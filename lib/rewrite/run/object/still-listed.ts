import { type ObjectMetadata, objectPages } from "#lib/cluster/objects/object-pages.ts";
import { otherServedVersions } from "#lib/domain/definition/stored-versions.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import type { ObjectRejection } from "./request/object-answer.ts";
import type { Sending } from "./request/send-aside.ts";

/** What is kept of an object that is gone, until a list shows it: there may be many. */
export type ListedObject = Pick<ObjectMetadata, "uid" | "namespace" | "name" | "resourceVersion">;

const MAX_MISSING = 10_000;

/** The refusal of an object that requests don't find, and that is listed all the same. */
const STILL_LISTED: ObjectRejection = {
  kind: "rejected",
  reason: "Unaddressable",
  message:
    "The API server lists it, but answers requests for it with NotFound, so it can't be read or changed: its key in etcd doesn't match its " +
    "name. Delete that key in etcd, then restart the API servers.",
};

/** Objects that requests didn't find. Each is gone once a list that is made afterwards doesn't have it either. */
export interface MissingObjects {
  /** More than ten thousand are not remembered. */
  add(object: ListedObject): void;
  isFull(): boolean;
  /** Forgets them all, and returns them. */
  take(): ListedObject[];
  /**
   * Looks for them in a list, forgets them, and tells how each ended. Throws StopRun if the work can't continue, and the signal's reason.
   */
  settle(looking: Looking, tell: (object: ListedObject, end: { kind: "gone" } | ObjectRejection) => Promise<void> | void): Promise<void>;
}

type Looking = Pick<Sending, "connection" | "crd" | "gate" | "signal" | "runId"> & { version: string };

export function missingObjects(): MissingObjects {
  const missing: ListedObject[] = [];
  const isFull = () => missing.length >= MAX_MISSING;
  return {
    add({ uid, namespace, name, resourceVersion }) {
      if (!isFull()) missing.push({ uid, namespace, name, resourceVersion });
    },
    isFull,
    take: () => missing.splice(0),
    async settle(looking, tell) {
      const objects = missing.splice(0);
      const isListed = await stillListed(looking, objects);
      for (const object of objects) await tell(object, isListed(object) ? STILL_LISTED : { kind: "gone" });
    },
  };
}

/**
 * Which of the objects that a request didn't find a fresh list still has: what a proof says, it says of lists. One list for all of them,
 * because the API server looks up a single name in the same place, however it is asked.
 */
async function stillListed(
  { connection, crd, version, gate, signal, runId }: Looking,
  gone: readonly ListedObject[],
): Promise<(object: ListedObject) => boolean> {
  if (gone.length === 0) return () => false;
  const missing = new Set(gone.map(keyOf));
  const listed = new Set<string>();
  const pages = objectPages(connection, crd, {
    ...{ version, signal, otherVersions: otherServedVersions(crd, version) },
    ...(runId && { runId }),
    attempt: (request, options) => throughGate(gate, signal, request, options),
  });
  for await (const page of pages) {
    if (page.restarted) listed.clear();
    for (const object of page.objects) if (missing.has(keyOf(object))) listed.add(keyOf(object));
  }
  return (object) => listed.has(keyOf(object));
}

// An object that was created again has another uid; one that was put into etcd may have none.
function keyOf({ uid, namespace, name }: ListedObject): string {
  return `${uid} ${namespace}/${name}`;
}
