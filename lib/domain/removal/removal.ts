import { dropConversionSteps } from "#lib/domain/conversion/conversion-change.ts";
import { missingStoredVersions } from "#lib/domain/definition/contradiction.ts";
import type { Crd, CrdVersion } from "#lib/domain/definition/crd.ts";
import { pruneRefusal, type Refusal, restoreRefusal, rewriteRefusal } from "#lib/domain/rewrite/refusals.ts";
import { type PlainPatchStep, removeVersionSteps, type VersionChange, versionChangeSteps } from "#lib/domain/versions/version-change.ts";
import {
  dropConversionRefusal,
  putBackConversionRefusal,
  putBackVersionRefusal,
  removeVersionRefusal,
  versionChangeRefusal,
} from "#lib/domain/versions/version-change-refusal.ts";

/**
 * The steps in which a version is taken out of a definition, as kubernetes.io has them in "Versions in CustomResourceDefinitions":
 * its clients have moved on, it is no longer served, no object is stored in it, it leaves the spec, and its conversion goes.
 */
export const removalStepNames = ["clients", "serving", "storage", "spec", "conversion"] as const;
export type RemovalStepName = (typeof removalStepNames)[number];

/** What a step does next; `flip` makes another version the storage version. */
export const removalActions = ["deprecate", "unserve", "flip", "restore", "rewrite", "prune", "remove", "drop"] as const;
export type RemovalAction = (typeof removalActions)[number];

export interface RemovalStep {
  name: RemovalStepName;
  /** `unneeded`: there is nothing to do, nor was there. `refused`: not safe yet, see the refusal. */
  state: "done" | "unneeded" | "ready" | "refused";
  /** What is to be done next; null where nothing is. */
  action: RemovalAction | null;
  refusal: Refusal | null;
  /** The step that takes away what stands in the way; null where none of these does. */
  solvedBy: RemovalStepName | null;
  /** Why what was done can't be undone now, in a step that is done; null when it can. */
  undoRefusal: Refusal | null;
  /** What the action sends to the definition; empty where it is not one patch of the spec. */
  patch: PlainPatchStep[];
}

/** Where the removal of a version stands at `now` (ms): all five steps, each by the rules by which its action is taken or refused. */
export function removalSteps(crd: Crd, name: string, now: number): RemovalStep[] {
  const version = crd.versions.find((one) => one.name === name) ?? null;
  return [clientsStep, servingStep, storageStep, specStep, conversionStep].map((step) => step(crd, name, version, now));
}

/**
 * The step to look at; null when the path is at its end. It is the first that is not done, but what is stored goes before serving: what
 * a rewrite loses shows only while the version is served. Where a rewrite is at work, that is where to look.
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

// Nobody can prove that no client is left: what can be done is to warn those that there are.
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
  if (!version?.storage && !crd.storedVersions.includes(name) && !isMissing) return finished("storage");
  if (version?.storage) {
    const hasOther = crd.versions.some((other) => other.served && other.name !== name);
    const refusal = hasOther
      ? null
      : { message: `${name} is the storage version, and no other version is served.`, nextStep: "Serve another version." };
    return { name: "storage", action: "flip", ...standing(refusal), solvedBy: null, patch: [] };
  }
  if (isMissing) return { name: "storage", action: "restore", ...standing(restoreRefusal(crd, [name], now)), solvedBy: null, patch: [] };
  if (pruneRefusal(crd, now) === null) return { name: "storage", action: "prune", ...standing(null), solvedBy: null, patch: [] };
  return { name: "storage", action: "rewrite", ...standing(rewriteRefusal(crd, now)), solvedBy: null, patch: [] };
}

function specStep(crd: Crd, name: string, version: CrdVersion | null, now: number): RemovalStep {
  if (!version) return finished("spec", putBackVersionRefusal(crd, name, now));
  const refusal = removeVersionRefusal(crd, name, now);
  const isStored = crd.storedVersions.includes(name) || missingStoredVersions(crd, now).includes(name);
  // In the order of the refusal's own rules.
  const solver = version.storage ? "storage" : version.served ? "serving" : isStored ? "storage" : null;
  const solvedBy = refusal && !refusal.run ? solver : null;
  return { name: "spec", action: "remove", ...standing(refusal), solvedBy, patch: removeVersionSteps(crd, name) };
}

function conversionStep(crd: Crd, _name: string, version: CrdVersion | null, now: number): RemovalStep {
  if (crd.conversion.strategy === "None") {
    const isDropped = crd.droppedConversion !== null;
    return { ...finished("conversion", isDropped ? putBackConversionRefusal(crd, now) : null), state: isDropped ? "done" : "unneeded" };
  }
  // The others that stay need it still: this removal is at its end.
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
