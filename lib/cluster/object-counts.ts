import { isAppError } from "#lib/contract/app-error.ts";
import type { ObjectCounts } from "#lib/contract/object-counts.ts";
import { type Crd, readingVersion } from "#lib/domain/crd.ts";
import { countedVersions, type Scan, scanObject, storedBounds } from "#lib/domain/object-counts.ts";
import { validSettlePoint } from "#lib/domain/rewrite.ts";
import type { Connection } from "./connection.ts";
import { clusterAnswer } from "./errors.ts";
import { type Attempt, objectPages } from "./object-pages.ts";
import { retryPassing } from "./retry-passing.ts";

/**
 * Counts a definition's objects, a page of metadata at a time: yields what is known after every page, the last one complete.
 * A list that the cluster denies or fails to give is yielded as such, never as zero.
 */
export async function* countObjects(connection: Connection, crd: Crd, signal: AbortSignal): AsyncGenerator<ObjectCounts> {
  const settleResourceVersion = validSettlePoint(crd)?.resourceVersion ?? null;
  const version = readingVersion(crd);
  let scanned = 0;
  let scan = emptyScan();
  if (!version) {
    yield result(crd, scan, { scanned, complete: true, basis: "failed", message: "No version is served, so nothing can be listed." });
    return;
  }
  try {
    const attempt: Attempt = (request) => retryPassing(request, signal);
    for await (const page of objectPages(connection, crd, { version: version.name, signal, attempt })) {
      if (page.restarted) {
        scan = emptyScan();
        scanned = 0;
      }
      scan.total = page.total ?? scan.total;
      for (const object of page.objects) scanObject(scan, object, settleResourceVersion);
      scanned += page.objects.length;
      // What was created meanwhile may make the list longer than its first page said.
      if (!page.next || scanned > (scan.total ?? 0)) scan.total = scanned;
      yield result(crd, scan, { scanned, complete: !page.next, basis: "list", message: null });
    }
  } catch (error) {
    signal.throwIfAborted();
    const answer = clusterAnswer(error);
    if (!answer && !isAppError(error)) throw error;
    const basis = answer?.status === 403 ? "denied" : "failed";
    const message = answer?.message || (isAppError(error) ? error.message : null);
    yield result(crd, { ...emptyScan(), total: null }, { scanned, complete: true, basis, message });
  }
}

function result(
  crd: Crd,
  scan: Scan,
  { scanned, complete, basis, message }: Pick<ObjectCounts, "scanned" | "complete" | "basis" | "message">,
): ObjectCounts {
  const known = basis === "list";
  return {
    total: scan.total,
    basis,
    message,
    asOf: new Date().toISOString(),
    complete,
    scanned,
    versions: countedVersions(crd, scan).map((name) => ({
      name,
      stored: storedBounds(crd, name, scan),
      lastWrittenAs: known ? (scan.lastWrittenAs.get(name) ?? 0) : null,
      managedFieldsAs: known ? (scan.managedFieldsAs.get(name) ?? 0) : null,
    })),
  };
}

function emptyScan(): Scan {
  return { total: null, aboveSettlePoint: 0, lastWrittenAs: new Map(), managedFieldsAs: new Map() };
}
