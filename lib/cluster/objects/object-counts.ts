import type { Connection } from "#lib/cluster/connection/connection.ts";
import { countInEtcd } from "#lib/cluster/etcd/count-in-etcd.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { beginManagedFieldsCount, rememberCount } from "#lib/cluster/fleet/remember-counts.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { retryWhileBusy } from "#lib/cluster/transport/retry-while-busy.ts";
import { asksToSignIn, isAppError } from "#lib/contract/app-error.ts";
import type { ObjectCounts } from "#lib/contract/objects/object-counts.ts";
import { type Crd, readingVersion } from "#lib/domain/definition/crd.ts";
import { basisOfBounds } from "#lib/domain/objects/basis-of-bounds.ts";
import { type EtcdCount, objectsRead, unreadableReason } from "#lib/domain/objects/etcd-count.ts";
import { boundsInEtcd, countedVersions, ownVersions, type Scan, scanObject, storedBounds } from "#lib/domain/objects/object-counts.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { validSettlePoint } from "#lib/domain/record/valid-evidence.ts";
import { type Attempt, objectPages, takeEach } from "./object-pages.ts";
import { NO_VERSION_SERVED, whyUncounted } from "./object-totals.ts";

/** The count from etcd, or the reason there is none. */
interface FromEtcd {
  count: EtcdCount | null;
  message: string | null;
}

/**
 * Counts a definition's objects: first in etcd, if this cluster's etcd is configured, then from the API server, a page of metadata at
 * a time. Yields the counts after every page; the last are complete. A denied or failed list is yielded as such, never as zero. If
 * etcd fails, the counts are based on the API server alone.
 */
export async function* countObjects(connection: Connection, crd: Crd, signal: AbortSignal): AsyncGenerator<ObjectCounts> {
  let etcd: FromEtcd = { count: null, message: null };
  for await (const reading of countInEtcd(crd, signal)) {
    if (reading.kind === "not-ours") {
      const message = `The configured etcd ${reading.because}; it may belong to another cluster. These counts are based on the API server alone.`;
      etcd = { count: null, message };
      continue;
    }
    if (reading.kind === "failed") {
      etcd = { count: null, message: `Can't read etcd, so these counts are based on the API server alone: ${reading.because}` };
      continue;
    }
    etcd = { count: reading.count, message: unreadableReason(reading.count) };
    if (reading.kind === "complete") rememberCount(connection, crd, reading.count);
    yield beforeScan(connection, crd, etcd);
  }
  yield* scanObjects(connection, crd, etcd, signal);
}

// The list hasn't started yet, but the total may already be known.
function beforeScan(connection: Connection, crd: Crd, etcd: FromEtcd): ObjectCounts {
  const { total, basis, message } = fleetOf(connection).total(crd.name);
  return result(currentCrd(connection, crd), { ...emptyScan(crd), total }, etcd, { scanned: 0, complete: false, basis, message });
}

async function* scanObjects(connection: Connection, crd: Crd, etcd: FromEtcd, signal: AbortSignal): AsyncGenerator<ObjectCounts> {
  const version = readingVersion(crd);
  const own = ownVersions(crd);
  let scanned = 0;
  let scan = emptyScan(crd);
  if (!version) {
    yield result(currentCrd(connection, crd), scan, etcd, { scanned, complete: true, ...NO_VERSION_SERVED });
    return;
  }
  const rememberManagedFields = beginManagedFieldsCount(connection, crd);
  try {
    const attempt: Attempt = (request) => retryWhileBusy(request, signal);
    for await (const page of objectPages(connection, crd, { version: version.name, signal, attempt })) {
      if (page.restarted) {
        scan = emptyScan(crd);
        scanned = 0;
      }
      scan.total = page.total ?? scan.total;
      scanned += page.objects.length;
      takeEach(page.objects, (object) => scanObject(scan, object, own));
      // Objects created in the meantime may make the list longer than its first page said.
      if (!page.next || scanned > (scan.total ?? 0)) scan.total = scanned;
      if (!page.next) rememberManagedFields(scan.managedFieldsAs);
      yield result(currentCrd(connection, crd), scan, etcd, { scanned, complete: !page.next, basis: "list", message: null });
    }
  } catch (error) {
    signal.throwIfAborted();
    if (asksToSignIn(error)) throw error;
    if (!clusterAnswer(error) && !isAppError(error)) throw error;
    yield result(currentCrd(connection, crd), emptyScan(crd), etcd, { scanned, complete: true, ...whyUncounted(crd, error) });
  }
}

function result(
  crd: Crd,
  scan: Scan,
  { count, message: etcdMessage }: FromEtcd,
  { scanned, complete, basis, message }: Pick<ObjectCounts, "scanned" | "complete" | "basis" | "message">,
): ObjectCounts {
  const { uid, generation, storedVersions } = crd;
  const known = basis === "list" && (complete || scanned > 0);
  const now = Date.now();
  const boundsOf = storedBounds(crd, scan, now);
  return {
    total: scan.total,
    basis,
    message: [message, etcdMessage].filter(Boolean).join(". ") || null,
    asOf: new Date(now).toISOString(),
    complete,
    scanned,
    definition: { uid, generation, storedVersions, basisOfBounds: basisOfBounds(crd, now) },
    etcd: count && readingOf(count),
    versions: countedVersions(crd, scan, count).map((name) => ({
      name,
      stored: (count && boundsInEtcd(count, name)) ?? boundsOf(name),
      lastWrittenAs: known ? (scan.lastWrittenAs.get(name) ?? 0) : null,
      managedFieldsAs: known ? (scan.managedFieldsAs.get(name) ?? 0) : null,
    })),
  };
}

function readingOf(count: EtcdCount): NonNullable<ObjectCounts["etcd"]> {
  const { asOf, revision, total, encrypted, unreadable } = count;
  return { asOf, revision, total, read: objectsRead(count), encrypted, unreadable };
}

// It may have changed since the count began; of another definition of this name, the count says nothing.
function currentCrd(connection: Connection, crd: Crd): Crd {
  const now = fleetOf(connection).crd(crd.name);
  return now?.uid === crd.uid && compareResourceVersions(now.resourceVersion, crd.resourceVersion) >= 0 ? now : crd;
}

function emptyScan(crd: Crd): Scan {
  const settlePoint = validSettlePoint(crd)?.resourceVersion ?? null;
  return { total: null, settlePoint, aboveSettlePoint: 0, lastWrittenAs: new Map(), managedFieldsAs: new Map() };
}
