import { setMaxListeners } from "node:events";
import { forEachInRoom } from "#lib/async/for-each-in-room.ts";
import { bytesEach, objectPages } from "#lib/cluster/objects/object-pages.ts";
import { otherServedVersions } from "#lib/domain/definition/stored-versions.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { type DryRun, NOTHING_CHECKED } from "#lib/domain/losses/dry-run.ts";
import { isAboveSettlePoint } from "#lib/domain/objects/resource-version.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { type ListedObject, missingObjects } from "#lib/rewrite/run/object/still-listed.ts";
import { createRejectionGroups } from "#lib/rewrite/run/progress/rejection-groups.ts";
import { createLossTally } from "./loss-tally.ts";
import { createSampler } from "./sample.ts";
import { type ReadObject, toldByReading } from "./told-by-reading.ts";
import { type Trying, tryObject, type UnknownLosses } from "./try-object.ts";

/** The findings of a dry run so far. */
export type Findings = Pick<DryRun, "dryRun" | "losses" | "moreLosses" | "resourceVersion"> & {
  /** `lasting`: objects whose losses a new dry run would not tell either. */
  unknown: { objects: number; lasting: number; because: string | null };
  /**
   * Objects that the tried write would change by more than defaults, or at all although reading told that it leaves them as they are:
   * something mutates, whether the API lists it or not.
   */
  changedUnexpectedly: number;
};

/** Concurrent objects. Several copies of each are in memory, and an object may have a megabyte. */
const WORKERS = 12;
/** Of the objects at work, in bytes of the pages that listed them. */
const MOST_AT_WORK = 4 * 1024 * 1024;

/** Where reading suffices, so many are tried all the same: they show what mutates and isn't listed by the API, and most rejections. */
const TRIED_ANYWAY = 100;

interface Choosing extends Trying {
  sampleSize: number;
  settleResourceVersion: string | null;
  /** Whether reading an object shows that its write would lose nothing; null to try each. */
  suffices: ((object: ExactJson) => boolean) | null;
}

/**
 * Tries every object below the settle point, or a random sample of all. With `suffices`, it reads all of them, and tries a hundred, and
 * those for which that isn't enough. Throws StopRun if it can't continue, and the signal's reason.
 */
export async function dryRunObjects(given: Choosing, onProgress: (read: () => Findings) => void): Promise<Findings> {
  const ending = new AbortController();
  const trying = { ...given, signal: AbortSignal.any([given.signal, ending.signal]) };
  setMaxListeners(0, trying.signal);
  let findings = startFindings();
  const restart = () => {
    findings = startFindings();
  };
  const tell = () => onProgress(() => findingsOf(findings));
  const chosen = chosenObjects(trying, () => findings, { restart, tell });
  const onFailure = (error: unknown) => ending.abort(error);
  const options = { concurrency: WORKERS, mostBytes: MOST_AT_WORK, signal: trying.signal, onFailure };
  await forEachInRoom(chosen, options, async ({ object, isTold }) => {
    const { counts, rejections, cannot, losses, unknown, missing } = findings;
    const verdict = await tryObject(trying, object);
    counts.checked += 1;
    switch (verdict.kind) {
      case "pass":
        counts.wouldPass += 1;
        if (verdict.generationRises) counts.generationRises += 1;
        if (verdict.changedBeyondDefaults || (isTold && verdict.losses.length > 0)) findings.changedUnexpectedly += 1;
        losses.count(object, verdict.losses);
        if (verdict.unknown) noteUnknown(unknown, object, verdict.unknown);
        break;
      case "rejected":
        counts.wouldBeRejected += 1;
        rejections.add(object, verdict);
        break;
      case "cannot":
        counts.cannotDryRun += 1;
        cannot.add(object, verdict);
        noteUnknown(unknown, object, { because: verdict.message, mayBeTemporary: false });
        break;
      case "gone":
        counts.gone += 1;
        missing.add(object);
        break;
      default:
        verdict satisfies never;
    }
    tell();
  });
  await rejectListed(trying, findings);
  findings.counts.planned = findings.counts.checked;
  return findingsOf(findings);
}

function startFindings() {
  return {
    resourceVersion: null as string | null,
    counts: { ...NOTHING_CHECKED },
    rejections: createRejectionGroups(),
    cannot: createRejectionGroups(),
    losses: createLossTally(),
    missing: missingObjects(),
    unknown: { objects: 0, lasting: 0, because: null as string | null },
    changedUnexpectedly: 0,
  };
}

function findingsOf(findings: ReturnType<typeof startFindings>): Findings {
  const { resourceVersion, changedUnexpectedly, counts, rejections, cannot, losses, unknown } = findings;
  return {
    ...{ resourceVersion, changedUnexpectedly },
    dryRun: { ...counts, rejections: rejections.list(), cannot: cannot.list() },
    losses: losses.list(),
    moreLosses: losses.more(),
    unknown: { ...unknown },
  };
}

/** An object that is gone, but listed, would be rejected by the rewrite, too. */
function rejectListed(trying: Trying, { counts, rejections, missing }: ReturnType<typeof startFindings>): Promise<void> {
  return missing.settle({ ...trying, version: trying.storageVersion }, (object, end) => {
    if (end.kind === "gone") return;
    counts.gone -= 1;
    counts.wouldBeRejected += 1;
    rejections.add(object, end);
  });
}

function noteUnknown(unknown: Findings["unknown"], object: ListedObject, { because, mayBeTemporary }: UnknownLosses): void {
  unknown.objects += 1;
  if (!mayBeTemporary) unknown.lasting += 1;
  unknown.because ??= `${fullName(object)}: ${because}`;
}

async function* chosenObjects(
  trying: Choosing,
  findings: () => ReturnType<typeof startFindings>,
  { restart, tell }: { restart: () => void; tell: () => void },
): AsyncGenerator<ReadObject & { bytes: number }> {
  const { connection, crd, storageVersion: version, signal, gate, runId, sampleSize, settleResourceVersion, suffices } = trying;
  const pages = objectPages(connection, crd, {
    ...{ version, signal, whole: suffices !== null, otherVersions: otherServedVersions(crd, version) },
    ...(runId && { runId }),
    attempt: (request, options) => throughGate(gate, signal, request, options),
  });
  const startSampling = () => ({ sample: createSampler(sampleSize), anyway: createSampler(suffices ? TRIED_ANYWAY : 0) });
  let sampling = startSampling();
  let listed = 0;
  for await (const page of pages) {
    if (page.restarted) {
      restart();
      listed = 0;
      sampling = startSampling();
    }
    // If the list had to continue inconsistently, later pages have newer ones, which don't hold for earlier pages.
    findings().resourceVersion ??= settleResourceVersion ?? page.resourceVersion;
    const now = findings().counts;
    listed += page.objects.length;
    const bytes = bytesEach(page);
    if (page.total !== null) Object.assign(now, { total: page.total, planned: Math.min(page.total, sampleSize) });
    for (const { object, isTold } of await toldByReading(page.objects, suffices, connection.person())) {
      const isPlanned = sampling.sample.choose(now.total ?? 0);
      const isTriedAnyway = sampling.anyway.choose(now.total ?? 0);
      if (isAboveSettlePoint(object.resourceVersion, settleResourceVersion)) {
        now.alreadyCurrent += 1;
        if (isPlanned && now.planned !== null) now.planned -= 1;
        continue;
      }
      const isRead = isTold && !isTriedAnyway;
      if (!isPlanned && (isRead || isTriedAnyway) && now.planned !== null) now.planned += 1;
      if (isRead) {
        now.checked += 1;
        now.onlyRead += 1;
      } else if (isPlanned || isTriedAnyway) {
        yield { object, isTold, bytes };
      }
    }
    if (suffices) tell();
  }
  // A list that had to continue inconsistently has other objects than the first page told.
  findings().counts.total = listed;
}
