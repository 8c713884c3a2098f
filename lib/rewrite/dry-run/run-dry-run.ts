import { randomUUID } from "node:crypto";
import type { Admission } from "#lib/cluster/admission/admission.ts";
import { type MutatingRead, mutatingAdmission, readMutating } from "#lib/cluster/admission/mutating-admission.ts";
import { clusterKey } from "#lib/cluster/connection/cluster-key.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { answeringServer } from "#lib/cluster/definitions/answering-server.ts";
import { withOwnEvidence } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { errorMessage, isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { unseenVersions } from "#lib/domain/definition/stored-versions.ts";
import { type DryRun, type DryRunPhase, NOTHING_CHECKED } from "#lib/domain/losses/dry-run.ts";
import { type DryRunRecord, dryRunRecord } from "#lib/domain/losses/dry-run-record.ts";
import { isAboveSettlePoint } from "#lib/domain/objects/resource-version.ts";
import { validProof, validSettlePoint } from "#lib/domain/record/valid-evidence.ts";
import type { CrdIdentity } from "#lib/domain/rewrite/identity.ts";
import type { OnPatch } from "#lib/domain/rewrite/sent-patches.ts";
import { firstOf } from "#lib/domain/wording/first-of.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { errorDetail, logProblem } from "#lib/process-wide/log-problem.ts";
import { unheededMs } from "#lib/rewrite/guards/require-own-objects.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Pacer } from "#lib/rewrite/pacing/pacer.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { hasSettled } from "#lib/rewrite/run/settle/settle-wait.ts";
import { isStopRun } from "#lib/rewrite/run/stop-run.ts";
import { checkCluster, watchEventsCheck } from "./check-cluster.ts";
import { dryRunObjects, type Findings } from "./dry-run-objects.ts";
import { type KnownDryRun, noteEnded, rememberDryRun } from "./dry-runs.ts";
import { allVersionsToTry, readingSuffices } from "./version-schemas.ts";

export interface DryRunOptions {
  connection: Connection;
  crd: Crd;
  identity: CrdIdentity;
  gate: Gate;
  pacer: Pacer;
  startedBy: string;
  sampleSize: number;
  /** Tries no object that a read shows to lose nothing. */
  readsFirst?: boolean;
  /** Tries objects above the settle point, too. */
  everyCurrent?: boolean;
  /** The run that this dry run belongs to. */
  runId?: string;
  /** Called before each patch is sent. */
  onPatch?: OnPatch;
  signal: AbortSignal;
  onProgress?: (dryRun: DryRun) => void;
  /** Keeps the findings of a dry run that has succeeded. Returns what its page has to say about that. */
  record?: (dryRun: DryRunRecord, signal: AbortSignal) => Promise<string | null>;
}

/** A dry run that has ended, and what the annotation keeps of it. */
export interface EndedDryRun {
  dryRun: DryRun;
  record: DryRunRecord;
}

const SHOW_EVERY_MS = 200;
const WAIT_TELL_MS = 1_000;

/**
 * Makes a whole dry run: checks the cluster, then sends a rewrite's patches with dryRun=All and compares. Returns the dry run once it
 * has ended; its phase says how.
 */
export function beginDryRun(options: DryRunOptions): { known: KnownDryRun; ended: Promise<EndedDryRun> } {
  const { connection, crd, identity, gate, startedBy, sampleSize } = options;
  const { audience } = connection;
  const known = rememberDryRun(
    // Not by who started it: whoever may patch the definition could have written that into the run.
    { audience, owner: `${connection.person()} of ${clusterKey(connection)}`, waitsFor: gate.cause },
    {
      ...identity,
      ...{ id: randomUUID(), crd: crd.name, phase: "running", startedBy, startedAt: new Date().toISOString(), endedAt: null, sampleSize },
      resourceVersion: null,
      ...{ checks: [], losses: [], moreLosses: 0, lossesKnown: false, lossesUnknownBecause: "The dry run is still running." },
      ...{ unknownMayPass: true, message: null },
      dryRun: NOTHING_CHECKED,
    },
  );
  const ended = carryOut(known, options);
  known.ended = ended;
  return { known, ended };
}

/** beginDryRun, waited for. */
export async function runDryRun(options: DryRunOptions): Promise<EndedDryRun> {
  const ended = await beginDryRun(options).ended;
  options.signal.throwIfAborted();
  return ended;
}

async function carryOut(known: KnownDryRun, options: DryRunOptions): Promise<EndedDryRun> {
  const { connection, crd, identity, gate, onProgress } = options;
  const signal = AbortSignal.any([options.signal, known.stop.signal]);
  const change = (changes: Partial<DryRun>) => {
    known.current = { ...known.current, ...changes };
    if (known.current.phase !== "running") noteEnded(known.current);
    onProgress?.(known.current);
  };
  const conditions: { admission: string | null; settled: boolean } = { admission: null, settled: false };
  const end = (phase: DryRunPhase, message: string | null): EndedDryRun => {
    const unfinished = { lossesKnown: false, lossesUnknownBecause: "The dry run didn't finish.", unknownMayPass: true };
    change({ ...(phase !== "succeeded" && unfinished), phase, message, endedAt: new Date().toISOString() });
    return { dryRun: known.current, record: dryRunRecord(known.current, conditions) };
  };
  // Show why nothing can be sent at the moment.
  const telling = setInterval(() => {
    if (known.current.message !== gate.cause()) change({ message: gate.cause() });
  }, WAIT_TELL_MS);
  try {
    const runId = options.runId ?? known.current.id;
    // Before the first object is tried: what is installed later is another. It waits for an outage to end, because a rewrite that relies on
    // this dry run can't compare anything with what is unknown.
    const ask = (request: () => Promise<Admission[]>) => throughGate(gate, signal, request);
    const answering = await throughGate(gate, signal, () => answeringServer(connection, crd, signal));
    const heeding = { startedAt: performance.now(), settleSeconds: crd.settleSeconds };
    const isHeeded = answering.kind === "another" || unheededMs(answering.apiServices, heeding) === 0;
    conditions.settled = isHeeded && (await throughGate(gate, signal, () => hasSettled(connection, crd.name, identity, signal)));
    const mutating = readMutating({ connection, crd, version: identity.storageVersion, signal }, ask);
    conditions.admission = await mutatingAdmission(mutating, signal);
    const checks = await checkCluster({ connection, crd, storageVersion: identity.storageVersion, answering, mutating, signal, runId });
    change({ checks });
    let shownAt = 0;
    const own = withOwnEvidence(connection, crd);
    const otherVersions = await allVersionsToTry({ connection, crd, gate, signal });
    const settledAbove = validSettlePoint(own)?.resourceVersion ?? null;
    const isProven = validProof(own) !== null;
    const mayRead = options.readsFirst && conditions.admission === "";
    const findings = await dryRunObjects(
      {
        ...options,
        suffices: mayRead ? await readingSuffices({ connection, crd, gate, signal }) : null,
        runId,
        ...{ signal, storageVersion: identity.storageVersion, otherVersions },
        settleResourceVersion: options.everyCurrent ? null : settledAbove,
        // What was stored under this spec has no field that no schema has, although managedFields keep naming it.
        mayHide: (resourceVersion) => !isProven && !isAboveSettlePoint(resourceVersion, settledAbove),
      },
      (read) => {
        const now = performance.now();
        if (now - shownAt < SHOW_EVERY_MS) return;
        shownAt = now;
        change(shown(read()));
      },
    );
    // The API doesn't list what does that, such as an API server's static manifests.
    if (findings.changedUnexpectedly > 0 && conditions.admission === "") conditions.admission = null;
    const unknownBecause = lossesUnknownBecause(own, findings) ?? (await hiddenByAdmission(mutating, findings));
    const events = watchEventsCheck(crd, findings.dryRun);
    const told = {
      lossesKnown: unknownBecause === null,
      lossesUnknownBecause: unknownBecause,
      unknownMayPass: mayBeTemporary(own, findings),
    };
    change({ ...shown(findings), checks: [...checks, events], ...told });
    const succeeded: DryRun = { ...known.current, phase: "succeeded", message: null, endedAt: new Date().toISOString() };
    // Recorded first: whoever sees the end also sees whether it was recorded.
    const record = dryRunRecord(succeeded, conditions);
    const message = (await options.record?.(record, signal)) ?? null;
    signal.throwIfAborted();
    change({ ...succeeded, message });
    return { dryRun: known.current, record };
  } catch (error) {
    const because: unknown = known.stop.signal.reason;
    if (signal.aborted && !isAppError(because)) return end("cancelled", "Cancelled.");
    return end("failed", wordsOf(signal.aborted ? because : error));
  } finally {
    clearInterval(telling);
  }
}

/** Why no dry run shows what admission does to a write; null if nothing is known to hide it. */
async function hiddenByAdmission({ webhooks, policies }: MutatingRead, { dryRun }: Findings): Promise<string | null> {
  const mutating = await Promise.all([webhooks, policies]).catch(() => []);
  const hiding = mutating.flat().find(({ asksForDryRun }) => asksForDryRun);
  if (!hiding || dryRun.total === 0) return null;
  return (
    `The ${hiding.kind} ${hiding.name} asks whether a request is a dry run, so a dry run doesn't show what it changes in a write. ` +
    "Take that condition out of it, and repeat the dry run."
  );
}

function shown({ unknown: _, changedUnexpectedly: __, ...findings }: Findings): Partial<DryRun> {
  return findings;
}

function lossesUnknownBecause(crd: Crd, { dryRun, unknown }: Findings): string | null {
  const unseen = unseenVersions(crd);
  if (unseen.length > 0 && dryRun.total !== 0) {
    const [names, are] = [firstOf(unseen), unseen.length === 1 ? "is" : "are"];
    const listed = new Set(crd.storedVersions);
    const unlisted = unseen.filter((version) => !listed.has(version));
    const why =
      unlisted.length > 0
        ? ` status.storedVersions doesn't list ${firstOf(unlisted)}, but objects may still be stored in ${unlisted.length === 1 ? "it" : "them"}.`
        : "";
    return (
      `${names} ${are} not served, so crdshift can't see what objects stored as ${names} would lose.${why} ` +
      `To find out, serve ${names} again (served: true) and repeat the dry run, or compare the schemas of both versions.`
    );
  }
  if (unknown.objects === 0) return null;
  return `The losses of ${formatCountOf(unknown.objects, "object")} are unknown; the first is ${unknown.because}`;
}

/** Whether a new dry run may find the losses out that are unknown: none of an object or of a version that nobody can see. */
function mayBeTemporary(crd: Crd, { dryRun, unknown }: Findings): boolean {
  return unknown.objects > 0 && unknown.lasting === 0 && (dryRun.total === 0 || unseenVersions(crd).length === 0);
}

function wordsOf(error: unknown): string {
  if (isAppError(error)) return [error.message, error.clusterMessage, error.nextStep].filter(Boolean).join(" ");
  if (!isStopRun(error)) logProblem("error", { message: "A dry run failed.", detail: errorDetail(error) });
  return errorMessage(error);
}
