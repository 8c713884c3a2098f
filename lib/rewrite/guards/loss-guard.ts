import type { Crd } from "#lib/domain/definition/crd.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { type DryRunRecord, sawEverything } from "#lib/domain/losses/dry-run-record.ts";
import type { ObjectLoss } from "#lib/domain/losses/losses.ts";
import { isAboveSettlePoint } from "#lib/domain/objects/resource-version.ts";
import type { SettlePoint } from "#lib/domain/record/rewrite-record.ts";
import type { AcceptedLosses } from "#lib/domain/rewrite/run.ts";
import { acceptsLoss, acceptsLostOwnership, acceptsNamedOwnership } from "./accept-losses.ts";
import type { AdmissionNow, AdmissionWatch } from "./admission-watch.ts";

/** What a rewrite checks right before it writes an object, because no dry run has seen what that write would do. */
export interface LossGuard {
  /** Nothing is checked: losses were accepted unseen. */
  isOff: boolean;
  /** A proof says what is stored: none of the objects holds a field that no schema has. */
  isProven: boolean;
  /** Whether to check the object. */
  mustCheck(object: { resourceVersion: string }): Promise<boolean>;
  /** Whether the object may be written although it loses this. */
  accepts(loss: ObjectLoss): boolean;
  /** Whether an object with these managedFields may be left without any. */
  acceptsLostOwnership(managedFields: readonly ExactJson[]): boolean;
  /** The same by name. Those among the losses that a dry run didn't list are put back first: an outage may have emptied them. */
  acceptsNamedOwnership(managedFields: readonly ExactJson[]): boolean;
  /** Whether what it relies on still holds for every object, read anew: the cluster's own engine checks none before it writes. */
  holds(): Promise<boolean>;
  /** Watches over what is written unchecked; null if nothing is read. */
  admission: AdmissionWatch | null;
  /** This many objects get a higher generation without any admission, by new defaults. */
  expectedRises: number;
}

/** A webhook may convert differently from one deployment to the next. */
const WEBHOOK_TRUSTED_MS = 5 * 60_000;

/** For a rewrite whose losses were accepted unseen. */
export const noGuard: LossGuard = {
  ...{
    isOff: true,
    isProven: false,
    mustCheck: async () => false,
    accepts: () => true,
    acceptsLostOwnership: () => true,
    acceptsNamedOwnership: () => true,
  },
  ...{ holds: async () => true, admission: null, expectedRises: 0 },
};

/** For writes that no dry run preceded. */
export const fullGuard: LossGuard = {
  ...accepting(null),
  ...{ mustCheck: async () => true, holds: async () => false, admission: null, expectedRises: 0 },
};

/** For a rewrite of objects that are proven: none of them should change, unless admission changes them. */
export function provenGuard(admission: AdmissionWatch, accepted: AcceptedLosses | null): LossGuard {
  return {
    ...accepting(accepted),
    isProven: true,
    ...{ mustCheck: async () => (await admission.now()) !== "", holds: async () => (await admission.again()) === "" },
    ...{ admission, expectedRises: 0 },
  };
}

/** The guard of a rewrite that relies on a dry run: it checks what that dry run did not try. */
export function guardAfter(
  crd: Pick<Crd, "conversion">,
  dryRun: DryRunRecord,
  accepted: AcceptedLosses | null,
  { admission, isProven = false, now = Date.now }: { admission: AdmissionWatch; isProven?: boolean; now?: () => number },
): LossGuard {
  if (accepted?.unseen) return noGuard;
  const { resourceVersion: triedUpTo } = dryRun;
  const triedAll = hasTriedStale(dryRun) && dryRun.lossesKnown;
  return {
    mustCheck: async ({ resourceVersion }) =>
      !triedAll ||
      triedUpTo === null ||
      isAboveSettlePoint(resourceVersion, triedUpTo) ||
      !(await mayBelieve(crd, dryRun, { admission: admission.now, now })),
    // By its end: a dry run that takes long would never be believed, and nothing else could be begun with it.
    holds: () => mayBelieve(crd, { ...dryRun, startedAt: dryRun.endedAt }, { admission: admission.again, now }),
    ...{ admission, expectedRises: dryRun.generationRises },
    ...accepting(accepted),
    isProven,
  };
}

function accepting(
  accepted: AcceptedLosses | null,
): Pick<LossGuard, "isOff" | "isProven" | "accepts" | "acceptsLostOwnership" | "acceptsNamedOwnership"> {
  return {
    isOff: false,
    isProven: false,
    accepts: (loss) => acceptsLoss(accepted, loss),
    acceptsLostOwnership: (managedFields) => acceptsLostOwnership(accepted, managedFields),
    acceptsNamedOwnership: (managedFields) => acceptsNamedOwnership(accepted, managedFields),
  };
}

/**
 * Whether an object that the dry run tried would still end as it did there: nothing may change it in admission, then or now, and either no
 * webhook converts, or the dry run is young. What mutates is never believed to do the same again: that may depend on who writes, on the
 * parameter of a policy, or on the labels of a namespace, none of which is compared.
 */
export async function mayBelieve(
  { conversion }: Pick<Crd, "conversion">,
  dryRun: DryRunRecord,
  { admission, now = Date.now }: { admission: AdmissionNow; now?: () => number },
): Promise<boolean> {
  if (dryRun.admission !== "" || (await admission()) !== "") return false;
  if (conversion.strategy === "None") return true;
  // A time in the future is another clock's, and tells no age.
  const ageMs = now() - Date.parse(dryRun.startedAt ?? dryRun.endedAt);
  return ageMs >= 0 && ageMs <= WEBHOOK_TRUSTED_MS;
}

/**
 * Whether the dry run tried every object that may be stored at an older version, as every API server would now, and only read none: that
 * tells nothing of rejections, nor of admission that the API doesn't list. Those that it left out as current are, as long as the settle
 * point holds on which it relied; null if none does.
 */
export function hasTriedAll(dryRun: DryRunRecord, settlePoint: SettlePoint | null): boolean {
  return (
    hasTriedStale(dryRun) &&
    dryRun.onlyRead === 0 &&
    (dryRun.alreadyCurrent === 0 || dryRun.resourceVersion === settlePoint?.resourceVersion)
  );
}

/** Whether it tried every object that it didn't take for current, as every API server would now. */
function hasTriedStale(dryRun: DryRunRecord): boolean {
  return dryRun.settled && sawEverything(dryRun);
}
