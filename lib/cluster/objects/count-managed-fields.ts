import type { Connection } from "#lib/cluster/connection/connection.ts";
import { beginManagedFieldsCount } from "#lib/cluster/fleet/remember-counts.ts";
import type { ManagedFields } from "#lib/contract/objects/managed-fields.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { ownVersions } from "#lib/domain/objects/object-counts.ts";
import { type ObjectMetadata, objectPages, takeEach } from "./object-pages.ts";
import { versionToRead } from "./version-to-read.ts";

const MAX_MANAGERS = 50;
const MAX_VERSIONS = 100;
/** Of all own versions together, and of all others. A definition may have thousands, and each page that is read copies them all. */
const MAX_MANAGERS_OF_ALL = MAX_MANAGERS * MAX_VERSIONS;

/** For how many more managers there is room: others must not crowd out those of the definition's own versions. */
interface Room {
  own: number;
  others: number;
}
const wholeRoom = (): Room => ({ own: MAX_MANAGERS_OF_ALL, others: MAX_MANAGERS_OF_ALL });

interface Seen {
  objects: number;
  managers: Map<string, { manager: string; operation: string; subresource: string; objects: number; lastWriteAt: number }>;
  moreManagers: number;
}

/** Counts, page by page, the objects whose managedFields name each version, with each version's managers and their last write. */
export async function* countManagedFields(connection: Connection, crd: Crd, signal: AbortSignal): AsyncGenerator<ManagedFields> {
  const version = versionToRead(crd);
  const own = ownVersions(crd);
  const remember = beginManagedFieldsCount(connection, crd);
  let seen = new Map<string, Seen>();
  let room = wholeRoom();
  let [total, scanned] = [null as number | null, 0];
  for await (const page of objectPages(connection, crd, { version, signal })) {
    if (page.restarted) [seen, scanned, room] = [new Map(), 0, wholeRoom()];
    total = page.total ?? total;
    scanned += page.objects.length;
    takeEach(page.objects, (object) => count(seen, object, { own, room }));
    if (page.next === null) remember(new Map([...seen].map(([name, { objects }]) => [name, objects])));
    yield { total, scanned, complete: page.next === null, asOf: new Date().toISOString(), versions: versionsOf(seen) };
  }
}

function count(seen: Map<string, Seen>, { writes }: ObjectMetadata, { own, room }: { own: ReadonlySet<string>; room: Room }): void {
  for (const [version, ofVersion] of Map.groupBy(writes, (write) => write.version)) {
    // Others must not crowd out a version that a removal asks about.
    if (!seen.has(version) && !own.has(version) && seen.size >= MAX_VERSIONS + own.size) continue;
    const of = own.has(version) ? "own" : "others";
    const entry: Seen = seen.get(version) ?? { objects: 0, managers: new Map(), moreManagers: 0 };
    entry.objects += 1;
    for (const { manager, operation, subresource, at } of ofVersion) {
      const key = JSON.stringify([manager, operation, subresource]);
      const known = entry.managers.get(key);
      if (known) {
        known.objects += 1;
        known.lastWriteAt = Math.max(known.lastWriteAt, at);
      } else if (entry.managers.size < MAX_MANAGERS && room[of] > 0) {
        room[of] -= 1;
        entry.managers.set(key, { manager, operation, subresource, objects: 1, lastWriteAt: at });
      } else entry.moreManagers += 1;
    }
    seen.set(version, entry);
  }
}

function versionsOf(seen: Map<string, Seen>): ManagedFields["versions"] {
  return [...seen].map(([version, { objects, managers, moreManagers }]) => ({
    version,
    objects,
    managers: [...managers.values()]
      .sort((one, other) => other.objects - one.objects)
      .map(({ lastWriteAt, ...manager }) => ({ ...manager, lastWrite: lastWriteAt > 0 ? new Date(lastWriteAt).toISOString() : null })),
    moreManagers,
  }));
}
