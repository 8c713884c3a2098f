import { setMaxListeners } from "node:events";
import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import { type ObjectMetadata, objectPages } from "#lib/cluster/objects/object-pages.ts";
import { otherServedVersions } from "#lib/domain/definition/stored-versions.ts";
import type { DryRun, DryRunOutcome } from "#lib/domain/losses/dry-run.ts";
import { isAboveSettlePoint } from "#lib/domain/objects/resource-version.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { type ListedObject, MAX_GONE, STILL_LISTED, stillListed } from "#lib/rewrite/run/object/still-listed.ts";
import { createRejectionGroups } from "#lib/rewrite/run/progress/rejection-groups.ts";
import { createLossTally } from "./loss-tally.ts";
import { createSampler } from "./sample.ts";
import { type Trial, tryObject } from "./try-object.ts";

/** The findings of a dry run so far. */
export type Findings = Pick<DryRun, "dryRun" | "losses" | "moreLosses" | "resourceVersion"> & {
  unknown: { objects: number; because: string | null };
};

/** Concurrent objects. Several copies of each are in memory, and an object may have a megabyte. */
const WORKERS = 12;

/** Tries every object below the settle point, or a random sample of all. Throws StopRun if it can't continue, and the signal's reason. */
export async function dryRunObjects(
  given: Trial & { sampleSize: number; settleResourceVersion: string | null },
  onProgress: (read: () => Findings) => void,
): Promise<Findings> {
  const ending = new AbortController();
  const trial = { ...given, signal: AbortSignal.any([given.signal, ending.signal]) };
  setMaxListeners(0, trial.signal);
  let findings = startFindings();
  const restart = () => {
    findings = startFindings();
  };
  const chosen = chosenObjects(trial, () => findings, restart);
  const onFailure = (error: unknown) => ending.abort(error);
  await forEachConcurrently(chosen, { concurrency: WORKERS, signal: trial.signal, onFailure }, async (object) => {
    const { counts, rejections, cannot, losses, unknown, gone } = findings;
    const verdict = await tryObject(trial, object);
    counts.checked += 1;
    switch (verdict.kind) {
      case "pass":
        counts.wouldPass += 1;
        if (verdict.generationRises) counts.generationRises += 1;
        losses.count(object, verdict.losses);
        if (verdict.unknownBecause) noteUnknown(unknown, object, verdict.unknownBecause);
        break;
      case "rejected":
        counts.wouldBeRejected += 1;
        rejections.add(object, verdict);
        break;
      case "cannot":
        counts.cannotDryRun += 1;
        cannot.add(object, verdict);
        noteUnknown(unknown, object, verdict.message);
        break;
      case "gone":
        counts.gone += 1;
        if (gone.length < MAX_GONE) gone.push(object);
        break;
      default:
        verdict satisfies never;
    }
    onProgress(() => findingsOf(findings));
  });
  await rejectListed(trial, findings);
  findings.counts.planned = findings.counts.checked;
  return findingsOf(findings);
}

type Counts = Omit<DryRunOutcome, "rejections" | "cannot">;

function startFindings() {
  const counts: Counts = {
    ...{ total: null, planned: null, alreadyCurrent: 0, checked: 0, wouldPass: 0, wouldBeRejected: 0 },
    ...{ gone: 0, cannotDryRun: 0, generationRises: 0 },
  };
  return {
    resourceVersion: null as string | null,
    counts,
    rejections: createRejectionGroups(),
    cannot: createRejectionGroups(),
    losses: createLossTally(),
    gone: [] as ListedObject[],
    unknown: { objects: 0, because: null as string | null },
  };
}

function findingsOf({ resourceVersion, counts, rejections, cannot, losses, unknown }: ReturnType<typeof startFindings>): Findings {
  return {
    resourceVersion,
    dryRun: { ...counts, rejections: rejections.list(), cannot: cannot.list() },
    losses: losses.list(),
    moreLosses: losses.more(),
    unknown: { ...unknown },
  };
}

/** An object that is gone, but listed, would be rejected by the rewrite, too. */
async function rejectListed(trial: Trial, { counts, rejections, gone }: ReturnType<typeof startFindings>): Promise<void> {
  const listed = gone.filter(await stillListed({ ...trial, version: trial.storageVersion }, gone));
  counts.gone -= listed.length;
  counts.wouldBeRejected += listed.length;
  for (const object of listed) rejections.add(object, STILL_LISTED);
}

function noteUnknown(unknown: Findings["unknown"], { namespace, name }: ObjectMetadata, because: string): void {
  unknown.objects += 1;
  unknown.because ??= `${namespace ? `${namespace}/` : ""}${name}: ${because}`;
}

async function* chosenObjects(
  trial: Trial & { sampleSize: number; settleResourceVersion: string | null },
  findings: () => ReturnType<typeof startFindings>,
  restart: () => void,
): AsyncGenerator<ObjectMetadata> {
  const { connection, crd, storageVersion: version, signal, gate, runId, sampleSize, settleResourceVersion } = trial;
  const pages = objectPages(connection, crd, {
    ...{ version, signal, otherVersions: otherServedVersions(crd, version) },
    ...(runId && { runId }),
    attempt: (request, options) => throughGate(gate, signal, request, options),
  });
  let sampler = createSampler(sampleSize);
  for await (const page of pages) {
    if (page.restarted) {
      restart();
      sampler = createSampler(sampleSize);
    }
    // If the list had to continue inconsistently, later pages have newer ones, which don't hold for earlier pages.
    findings().resourceVersion ??= settleResourceVersion ?? page.resourceVersion;
    const now = findings().counts;
    if (page.total !== null) Object.assign(now, { total: page.total, planned: Math.min(page.total, sampleSize) });
    for (const object of page.objects) {
      const isChosen = sampler.choose(now.total ?? 0);
      if (isAboveSettlePoint(object.resourceVersion, settleResourceVersion)) {
        now.alreadyCurrent += 1;
        if (isChosen && now.planned !== null) now.planned -= 1;
      } else if (isChosen) {
        yield object;
      }
    }
  }
}
