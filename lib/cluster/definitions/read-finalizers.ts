import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { collectionPath } from "#lib/cluster/objects/custom-objects.ts";
import { LIST_AS_METADATA } from "#lib/cluster/objects/object-pages.ts";
import { requestJson } from "#lib/cluster/transport/request.ts";
import type { Finalizers } from "#lib/contract/definition/finalizers.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { versionToRead } from "./version-to-read.ts";

const PAGE_SIZE = 500;
/** A definition that is being deleted may have millions of objects; this many show what blocks them. */
const BOUNDS = { objects: 10_000, finalizers: 50, examples: 5 };

const listSchema = z.object({
  metadata: z.object({ continue: z.string().optional(), remainingItemCount: z.int().optional() }),
  items: z
    .array(
      z.object({
        metadata: z.object({
          name: z.string(),
          namespace: z.string().default(""),
          deletionTimestamp: z.string().optional(),
          finalizers: z.array(z.string()).default([]),
        }),
      }),
    )
    .nullish(),
});

/**
 * The finalizers that block the deletion of a definition's objects, with the names of example objects.
 * @throws AppError precondition_failed if no version is served, and the errors of lists.
 */
export async function readFinalizers(connection: Connection, crd: Crd, signal: AbortSignal, bounds = BOUNDS): Promise<Finalizers> {
  const version = versionToRead(crd);
  const held = new Map<string, Finalizers["finalizers"][number]>();
  const beyond = new Set<string>();
  const counts = { total: 0, read: 0, notDeleted: 0, free: 0 };
  let next: string | undefined;
  do {
    const limit = Math.min(PAGE_SIZE, bounds.objects - counts.read);
    const query = new URLSearchParams({ limit: String(limit), ...(next && { continue: next }) });
    const path = `${collectionPath(crd, version)}?${query}`;
    const { json } = await requestJson(connection, { path, accept: LIST_AS_METADATA, signal, timeoutMs: 60_000 });
    const { metadata, items } = listSchema.parse(json);
    for (const { metadata: object } of items ?? []) {
      counts.read += 1;
      if (object.deletionTimestamp === undefined) counts.notDeleted += 1;
      if (object.finalizers.length === 0) counts.free += 1;
      for (const finalizer of new Set(object.finalizers)) {
        const known = held.get(finalizer);
        if (!known && held.size >= bounds.finalizers) beyond.add(finalizer);
        else note(held, known ?? { finalizer, objects: 0, examples: [] }, object, bounds.examples);
      }
    }
    next = metadata.continue || undefined;
    // Absent if nothing remains.
    counts.total = counts.read + (metadata.remainingItemCount ?? 0);
  } while (next && counts.read < bounds.objects);
  return {
    ...counts,
    finalizers: [...held.values()].sort((one, other) => other.objects - one.objects),
    moreFinalizers: beyond.size,
    asOf: new Date().toISOString(),
  };
}

function note(
  held: Map<string, Finalizers["finalizers"][number]>,
  { finalizer, objects, examples }: Finalizers["finalizers"][number],
  { namespace, name }: { namespace: string; name: string },
  mostExamples: number,
): void {
  const shown = examples.length < mostExamples ? [...examples, { namespace, name }] : examples;
  held.set(finalizer, { finalizer, objects: objects + 1, examples: shown });
}
