import { setMaxListeners } from "node:events";
import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { withOwnEvidence } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { forgetCleaned } from "#lib/cluster/fleet/remember-counts.ts";
import { type ObjectMetadata, objectPages } from "#lib/cluster/objects/object-pages.ts";
import { AppError, asksToSignIn } from "#lib/contract/app-error.ts";
import type { Cleaning, CleanManagedFields } from "#lib/contract/objects/managed-fields.ts";
import { contradictionOf } from "#lib/domain/definition/contradiction.ts";
import { type Crd, storageVersion } from "#lib/domain/definition/crd.ts";
import { carryOver, managedFieldsEntries } from "#lib/domain/objects/managed-fields.ts";
import { isAboveSettlePoint } from "#lib/domain/objects/resource-version.ts";
import { cleanRefusal } from "#lib/domain/removal/clean-refusal.ts";
import { validProof, validSettlePoint } from "#lib/domain/rewrite/valid-proof.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { lossRefusal } from "#lib/rewrite/guards/loss-refusal.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { recordAction } from "#lib/rewrite/record/record-action.ts";
import { requestForObject } from "#lib/rewrite/run/object/request-for-object.ts";
import { createRejectionGroups } from "#lib/rewrite/run/progress/rejection-groups.ts";
import { isStopRun } from "#lib/rewrite/run/stop-run.ts";
import { changeManagedFields, type ManagedFieldsChange } from "./change-managed-fields.ts";

const WORKERS = 12;
const MAX_EXAMPLES = 5;
const SHOW_EVERY_MS = 200;

/**
 * Cleans managedFields: entries for the given versions then name the storage version, object by object, with a test of the
 * resourceVersion: entries that name a removed version break server-side apply (kubernetes#111937). Each write stores the whole object,
 * so objects that may be stored at an older version and would lose fields are left unchanged. Stops with the signal; finished objects
 * stay clean, and another call continues with the rest.
 * @throws AppError precondition_failed if the storage version is not served or a run is active; invalid_input for the storage version.
 */
export async function* cleanManagedFields(
  connection: Connection,
  crd: Crd,
  { versions, dryRun = false }: CleanManagedFields,
  signal: AbortSignal,
): AsyncGenerator<Cleaning> {
  const version = storageVersion(crd)?.name ?? "";
  if (versions.includes(version)) {
    throw new AppError("invalid_input", `${version} is the storage version, so its entries need no cleaning.`, {
      nextStep: "Leave it out.",
    });
  }
  const own = withOwnEvidence(connection, crd);
  for (const name of versions) {
    const refusal = cleanRefusal(own, name, Date.now());
    if (refusal) throw refuse(refusal);
  }
  const isTrusted = contradictionOf(crd) === null;
  const allProven = isTrusted && validProof(own) !== null;
  const settleResourceVersion = isTrusted ? (validSettlePoint(own)?.resourceVersion ?? null) : null;
  const isProven = ({ resourceVersion }: ObjectMetadata) => allProven || isAboveSettlePoint(resourceVersion, settleResourceVersion);
  const ending = new AbortController();
  const within = AbortSignal.any([signal, ending.signal]);
  setMaxListeners(0, within);
  const cleaning = { connection, crd, version, versions, dryRun, gate: createGate(), pacer: createPacer(null), signal: within };
  const rejections = createRejectionGroups();
  const done: Cleaning = {
    ...{ complete: false, dryRun, version, total: null, scanned: 0, cleaned: 0, untouched: 0, gone: 0, rejected: 0 },
    ...{ rejections: [], examples: [] },
  };
  const work = forEachConcurrently(
    objectsToClean(cleaning, done),
    { concurrency: WORKERS, signal: within, onFailure: (error) => ending.abort(error) },
    async (object) => {
      const refusal = isProven(object) ? null : await lossRefusal({ ...cleaning, keepOwnership: true }, object);
      const answer = refusal ?? (await requestForObject(cleaning, object, () => cleanOne(cleaning, object)));
      if (answer.kind === "gone") done.gone += 1;
      else if (answer.kind === "rejected") {
        done.rejected += 1;
        rejections.add(object, answer);
      } else {
        done.cleaned += 1;
        const { before, after } = answer.value;
        const example = {
          object: { namespace: object.namespace, name: object.name },
          before: managedFieldsEntries(before),
          after: managedFieldsEntries(after),
        };
        if (done.examples.length < MAX_EXAMPLES) done.examples.push(example);
      }
    },
  );
  const ended = work.then(
    () => ({ error: null }),
    (error: unknown) => ({ error }),
  );
  const shown = (complete: boolean): Cleaning => ({ ...done, complete, rejections: rejections.list(), examples: [...done.examples] });
  let isComplete = false;
  try {
    for (;;) {
      const end = await Promise.race([
        ended,
        sleep(SHOW_EVERY_MS, within).then(
          () => null,
          () => ended,
        ),
      ]);
      if (end?.error) throw whyEnded(end.error);
      isComplete = end !== null;
      yield shown(isComplete);
      if (isComplete) return;
    }
  } finally {
    // If the reader leaves early, nothing more is sent.
    ending.abort(new Error("the reader left"));
    await ended;
    const isNoneLeft = isComplete && done.rejected === 0 && (!dryRun || done.cleaned === 0);
    if (isNoneLeft) forgetCleaned(connection, crd, versions);
    else if (!dryRun && done.cleaned > 0) forgetCleaned(connection, crd, null);
    if (!dryRun && done.cleaned > 0) {
      const message = `managedFields of ${formatCountOf(done.cleaned, "object")} were cleaned of ${versions.join(", ")}.`;
      recordAction(connection, crd.name, { kind: "cleaned", at: new Date().toISOString(), run: null, message });
    }
  }
}

/** The error for the reader; a token that the cluster rejects stays a sign-in error. */
function whyEnded(error: unknown): unknown {
  if (!isStopRun(error)) return error;
  if (asksToSignIn(error.cause)) return error.cause;
  return new AppError("precondition_failed", error.message, {
    nextStep: "Objects already cleaned stay clean. Clean again once the problem is resolved.",
  });
}

interface CleaningOptions {
  connection: Connection;
  crd: Crd;
  version: string;
  versions: readonly string[];
  dryRun: boolean;
  gate: ReturnType<typeof createGate>;
  pacer: ReturnType<typeof createPacer>;
  signal: AbortSignal;
}

async function* objectsToClean(
  { connection, crd, version, versions, gate, signal }: CleaningOptions,
  done: Cleaning,
): AsyncGenerator<ObjectMetadata> {
  const attempt = <T>(request: () => Promise<T>, options: { patient: boolean }) => throughGate(gate, signal, request, options);
  for await (const page of objectPages(connection, crd, { version, signal, attempt })) {
    if (page.restarted) Object.assign(done, { scanned: 0, untouched: 0 });
    done.total = page.total ?? done.total;
    for (const object of page.objects) {
      done.scanned += 1;
      if (object.writes.some((write) => versions.includes(write.version))) yield object;
      else done.untouched += 1;
    }
  }
}

function cleanOne(
  { connection, crd, version, versions, dryRun, signal }: CleaningOptions,
  object: ObjectMetadata,
): Promise<ManagedFieldsChange> {
  return changeManagedFields({ connection, crd, version, dryRun, signal }, object, (entries) =>
    carryOver(entries, (named) => versions.includes(named), `${crd.group}/${version}`),
  );
}
