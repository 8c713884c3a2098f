import { hidesFromDryRuns } from "#lib/cluster/admission/mutating-admission.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { lossVerbs, type ObjectLoss } from "#lib/domain/losses/losses.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import type { OnPatch } from "#lib/domain/rewrite/sent-patches.ts";
import type { Shown } from "#lib/rewrite/dry-run/compare-object.ts";
import { hiddenIn, isTooLong, lossesAt } from "#lib/rewrite/dry-run/try-object.ts";
import { knownVersionsToTry } from "#lib/rewrite/dry-run/version-schemas.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Pacer } from "#lib/rewrite/pacing/pacer.ts";
import type { ObjectRejection } from "#lib/rewrite/run/object/request/object-answer.ts";
import type { AdmissionWatch } from "./admission-watch.ts";
import type { LossGuard } from "./loss-guard.ts";

interface Guarded {
  connection: Connection;
  crd: Crd;
  /** The storage version. */
  version: string;
  gate: Gate;
  pacer: Pacer;
  /** Which losses are accepted; none by default. */
  guard?: Pick<LossGuard, "accepts">;
  /** What may change the object in admission; by default nothing hides from dry runs. */
  admission?: Pick<AdmissionWatch, "now"> | null;
  /** Called if the check's dry run raises the object's generation, as its write then will. */
  onRise?: () => void;
  /** Called with the object as it was read at the storage version, as text. */
  onShown?: (text: string) => void;
  /** Whoever writes the object keeps its managedFields, so their loss is none. */
  keepOwnership?: boolean;
  /** As of Trying: whether the object may hold fields that no schema has. */
  mayHide(resourceVersion: string): boolean;
  runId?: string;
  onPatch?: OnPatch;
  signal: AbortSignal;
}

/** The refusal of an object's main resource, and that of its `/status` if it was left alone there because of what it would lose. */
export function withStatusLoss(main: ObjectRejection, throughStatus: ObjectRejection): ObjectRejection {
  const isLoss = throughStatus.reason === "WouldLose" || throughStatus.reason === "LossUnknown";
  if (main === throughStatus || !isLoss) return main;
  return { ...main, message: `${main.message} Through /status: ${throughStatus.message}` };
}

const HIDDEN_BY_ADMISSION: ObjectRejection = {
  kind: "rejected",
  reason: "LossUnknown",
  message:
    "Its losses are unknown: a mutating webhook or policy asks whether a request is a dry run, so no check shows what it changes. " +
    "The object was left as it is.",
};

/**
 * Why an object must not be written now: the write would drop or change a field, or lose managedFields, and no dry run reported that; or
 * its losses are unknown. Null if nothing would be lost. Like a dry run, it checks the object at the storage version, where admission and
 * managedFields show, and at every other served version that can show something. For use right before the write, in its turn: what
 * mutates or converts may change its mind at any time.
 */
export async function lossRefusal(
  guarded: Guarded,
  object: ObjectName,
  throughStatus = false,
): Promise<ObjectRejection | { kind: "gone" } | null> {
  const { version } = guarded;
  const trying = { ...guarded, storageVersion: version, amid: true };
  if (hidesFromDryRuns((await guarded.admission?.now()) ?? null)) return HIDDEN_BY_ADMISSION;
  const shown: Shown[] = [];
  for (const name of [version, ...(await knownVersionsToTry(guarded))]) {
    const found = await lossesAt(trying, object, name, throughStatus);
    if (found.kind !== "answered") return found;
    if (!isTooLong(shown)) shown.push(found.value.shown);
    if (name === version) guarded.onShown?.(found.value.shown.text);
    if (found.value.generationRises) guarded.onRise?.();
    const isAccepted = (loss: ObjectLoss) => guarded.guard?.accepts(loss) || (guarded.keepOwnership && loss.kind === "managed-fields");
    const [first, ...rest] = found.value.losses.filter((loss) => !isAccepted(loss));
    if (first) {
      const more = rest.length > 0 ? ` and ${rest.length} more` : "";
      return {
        kind: "rejected",
        reason: "WouldLose",
        message: `${first.path}${more} ${lossVerbs[first.kind]}, and that loss isn't accepted. The object was left as it is.`,
      };
    }
  }
  const [atStorage, ...elsewhere] = shown;
  const hidden = atStorage === undefined ? null : await hiddenIn(trying, [atStorage, ...elsewhere]);
  if (hidden === null) return null;
  return { kind: "rejected", reason: "LossUnknown", message: `Its losses are unknown: ${hidden.because} It was left as it is.` };
}
