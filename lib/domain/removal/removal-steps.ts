import { dropConversionSteps } from "#lib/domain/conversion/conversion-change.ts";
import { missingStoredVersions } from "#lib/domain/definition/contradiction.ts";
import type { Crd, CrdVersion } from "#lib/domain/definition/crd.ts";
import { leftoverVersions } from "#lib/domain/definition/stored-versions.ts";
import { doubtOf } from "#lib/domain/record/doubt.ts";
import { pruneRefusal, type Refusal, relistRefusal, rewriteRefusal } from "#lib/domain/rewrite/refusals.ts";
import type { PlainPatchStep } from "#lib/domain/versions/patch-step.ts";
import { removeVersionSteps, type VersionChange, versionChangeSteps } from "#lib/domain/versions/version-change.ts";
import {
  dropConversionRefusal,
  putBackConversionRefusal,
  putBackVersionRefusal,
  removeVersionRefusal,
  untrustedListRefusal,
  versionChangeRefusal,
} from "#lib/domain/versions/version-change-refusal.ts";

/**
 * The steps to remove a version from a definition, from kubernetes.io, "Versions in CustomResourceDefinitions": migrate its clients, stop
 * serving it, make sure that no object is stored in it, remove it from the spec, and drop its conversion.
 */
export const removalStepNames = ["clients", "serving", "storage", "spec", "conversion"] as const;
export type RemovalStepName = (typeof removalStepNames)[number];

/** A step's next action; `flip` makes another version the storage version. */
export const removalActions = ["deprecate", "unserve", "flip", "restore", "rewrite", "prune", "remove", "drop"] as const;
export type RemovalAction = (typeof removalActions)[number];

export interface RemovalStep {
  name: RemovalStepName;
  /** `unneeded`: never needed. `refused`: not safe yet; see the refusal. */
  state: "done" | "unneeded" | "ready" | "refused";
  /** What to do next; null when nothing is left. */
  action: RemovalAction | null;
  refusal: Refusal | null;
  /** The step that resolves the refusal; null when none does. */
  solvedBy: RemovalStepName | null;
  /** For a completed step, why it can't be undone now; null when it can. */
  undoRefusal: Refusal | null;
  /** What the action sends to the definition; empty when it is not a single spec patch. */
  patch: PlainPatchStep[];
}

/** Removal progress of a version at `now` (ms): all five steps, by the same rules that allow or refuse their actions. */
export function removalSteps(crd: Crd, name: string, now: number): RemovalStep[] {
  const version = crd.versions.find((one) => one.name === name) ?? null;
  return [clientsStep, servingStep, storageStep, specStep, conversionStep].map((step) => step(crd, name, version, now));
}

/**
 * The step to show; null when all are done. It is the first open step, except that storage precedes serving, because losses of a rewrite
 * are visible only while the version is served. During a rewrite, it is the storage step.
 */
export function currentRemovalStep(
  steps: readonly { name: RemovalStepName; state: RemovalStep["state"]; refusal: { run?: unknown } | null }[],
): RemovalStepName | null {
  const open = steps.filter(({ state }) => state === "ready" || state === "refused");
  const storage = open.find(({ name }) => name === "storage");
  const first = open[0];
  if (storage && (storage.refusal?.run || first?.name === "serving")) return storage.name;
  return first?.name ?? null;
}

/** How many of the steps that the version needs are done. Unlike the current step's number, it never falls as the removal proceeds. */
export function removalProgress(steps: readonly Pick<RemovalStep, "state">[]): { done: number; of: number } {
  const needed = steps.filter(({ state }) => state !== "unneeded");
  return { done: needed.filter(({ state }) => state === "done").length, of: needed.length };
}

// Absence of clients can't be proven; the step can only warn remaining ones.
function clientsStep(crd: Crd, name: string, version: CrdVersion | null, now: number): RemovalStep {
  if (!version?.served) return finished("clients");
  if (version.deprecated) return finished("clients", versionChangeRefusal(crd, name, { deprecated: false }, now));
  return flagStep("clients", "deprecate", { crd, name, change: { deprecated: true }, now });
}

function servingStep(crd: Crd, name: string, version: CrdVersion | null, now: number): RemovalStep {
  if (!version?.served) return finished("serving", version && versionChangeRefusal(crd, name, { served: true }, now));
  return flagStep("serving", "unserve", { crd, name, change: { served: false }, now }, version.storage ? "storage" : null);
}

function storageStep(crd: Crd, name: string, version: CrdVersion | null, now: number): RemovalStep {
  const isMissing = missingStoredVersions(crd, now).includes(name);
  const isDoubted = version !== null && doubtOf(crd, now) !== null;
  const isListed = crd.storedVersions.includes(name);
  const untrusted = version && !isListed ? untrustedListRefusal(crd, name) : null;
  if (!version?.storage && !isListed && !isMissing && !isDoubted && !untrusted) return finished("storage");
  if (version?.storage) {
    const hasOther = crd.versions.some((other) => other.served && other.name !== name);
    const refusal = hasOther
      ? null
      : { message: `${name} is the storage version, and no other version is served.`, nextStep: "Serve another version." };
    return { name: "storage", action: "flip", ...standing(refusal), solvedBy: null, patch: [] };
  }
  if (isMissing) return { name: "storage", action: "restore", ...standing(relistRefusal(crd, [name], now)), solvedBy: null, patch: [] };
  if (pruneRefusal(crd, now) === null) return { name: "storage", action: "prune", ...standing(null), solvedBy: null, patch: [] };
  // A prune after the rewrite corrects a list that has other versions.
  const byHand = leftoverVersions(crd).length === 0 ? untrusted : null;
  return { name: "storage", action: "rewrite", ...standing(rewriteRefusal(crd, now) ?? byHand), solvedBy: null, patch: [] };
}

function specStep(crd: Crd, name: string, version: CrdVersion | null, now: number): RemovalStep {
  if (!version) return finished("spec", putBackVersionRefusal(crd, name, now));
  const refusal = removeVersionRefusal(crd, name, now);
  const isMissing = missingStoredVersions(crd, now).includes(name);
  const isUntrusted = untrustedListRefusal(crd, name) !== null || doubtOf(crd, now) !== null;
  const isStored = crd.storedVersions.includes(name) || isMissing || isUntrusted;
  // In the same order as removeVersionRefusal.
  const solver = version.storage ? "storage" : version.served ? "serving" : isStored ? "storage" : null;
  const solvedBy = refusal && !refusal.run ? solver : null;
  return { name: "spec", action: "remove", ...standing(refusal), solvedBy, patch: removeVersionSteps(crd, name) };
}

function conversionStep(crd: Crd, _name: string, version: CrdVersion | null, now: number): RemovalStep {
  if (crd.conversion.strategy === "None") {
    const isDropped = crd.droppedConversion !== null;
    return { ...finished("conversion", isDropped ? putBackConversionRefusal(crd, now) : null), state: isDropped ? "done" : "unneeded" };
  }
  // The remaining versions still need the webhook, so this removal is complete.
  if (!version && crd.versions.length > 1) return { ...finished("conversion"), state: "unneeded" };
  const refusal = dropConversionRefusal(crd, now);
  const solvedBy = refusal && !refusal.run && version ? "spec" : null;
  return { name: "conversion", action: "drop", ...standing(refusal), solvedBy, patch: dropConversionSteps() };
}

function flagStep(
  step: RemovalStepName,
  action: RemovalAction,
  { crd, name, change, now }: { crd: Crd; name: string; change: VersionChange; now: number },
  solver: RemovalStepName | null = null,
): RemovalStep {
  const refusal = versionChangeRefusal(crd, name, change, now);
  const solvedBy = refusal && !refusal.run ? solver : null;
  return { name: step, action, ...standing(refusal), solvedBy, patch: versionChangeSteps(crd, name, change) };
}

function finished(name: RemovalStepName, undoRefusal: Refusal | null = null): RemovalStep {
  return { name, state: "done", action: null, refusal: null, solvedBy: null, undoRefusal, patch: [] };
}

function standing(refusal: Refusal | null): Pick<RemovalStep, "state" | "refusal" | "undoRefusal"> {
  return { state: refusal ? "refused" : "ready", refusal, undoRefusal: null };
}
