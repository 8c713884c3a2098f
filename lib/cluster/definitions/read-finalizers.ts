import type { Connection } from "#lib/cluster/connection/connection.ts";
import { objectPages } from "#lib/cluster/objects/object-pages.ts";
import { versionToRead } from "#lib/cluster/objects/version-to-read.ts";
import { type Finalizers, MOST_MORE_FINALIZERS } from "#lib/contract/definition/finalizers.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";

/** A definition that is being deleted may have millions of objects; this many show what blocks them. */
const BOUNDS = { objects: 10_000, finalizers: 50, examples: 5 };

/**
 * The finalizers that block the deletion of a definition's objects, with the names of example objects.
 * @throws AppError precondition_failed if no version is served, and the errors of lists.
 */
export async function readFinalizers(connection: Connection, crd: Crd, signal: AbortSignal, bounds = BOUNDS): Promise<Finalizers> {
  const version = versionToRead(crd);
  let held = new Map<string, Finalizers["finalizers"][number]>();
  let beyond = new Set<string>();
  let counts = { total: 0, read: 0, notDeleted: 0, free: 0 };
  for await (const page of objectPages(connection, crd, { version, signal })) {
    if (page.restarted) [held, beyond, counts] = [new Map(), new Set(), { total: 0, read: 0, notDeleted: 0, free: 0 }];
    counts.total = page.total ?? counts.total;
    for (const object of page.objects.slice(0, bounds.objects - counts.read)) {
      counts.read += 1;
      if (object.deletionTimestamp === null) counts.notDeleted += 1;
      if (object.finalizers.length === 0) counts.free += 1;
      // An object may have 90,000. Those of one that has more than this are a thousand beyond the listed ones by themselves.
      for (const finalizer of new Set(object.finalizers.slice(0, bounds.finalizers + MOST_MORE_FINALIZERS))) {
        const known = held.get(finalizer);
        if (known || held.size < bounds.finalizers) note(held, known ?? { finalizer, objects: 0, examples: [] }, object, bounds.examples);
        else if (beyond.size < MOST_MORE_FINALIZERS) beyond.add(finalizer);
      }
    }
    // Objects created in the meantime may make the list longer than its first page said.
    counts.total = Math.max(counts.total, counts.read);
    if (counts.read >= bounds.objects) break;
  }
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
