import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { isAboveSettlePoint } from "#lib/domain/objects/resource-version.ts";
import { changedAgainstCheck, checkBeforeWrite, deletedByWrite } from "#lib/rewrite/guards/check-before-write.ts";
import type { LossGuard } from "#lib/rewrite/guards/loss-guard.ts";
import { lossRefusal } from "#lib/rewrite/guards/loss-refusal.ts";
import { type Kept, rewriteKeepingOwnership, type Ways, writtenOf } from "#lib/rewrite/run/object/ownership/keep-ownership.ts";
import { lookAfter } from "#lib/rewrite/run/object/request/look-after.ts";
import type { ObjectAnswer } from "#lib/rewrite/run/object/request/object-answer.ts";
import { requestForObject } from "#lib/rewrite/run/object/request/request-for-object.ts";
import { mayHideIn, noteFind, type Pass } from "#lib/rewrite/run/pass.ts";
import { notingSent } from "#lib/rewrite/run/unconfirmed-writes.ts";
import type { Attempts } from "./note-lost-answer.ts";
import type { AnsweredWrite } from "./noting-unanswered.ts";
import { patchObject } from "./patch-object.ts";

/** Tells the watch over admission of one object, however many of its writes nothing checks. */
export interface Unchecked {
  begin(): void;
  end(): void;
}

export function uncheckedOnce({ admission }: LossGuard): Unchecked {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let hasBegun = false;
  return {
    begin() {
      if (!hasBegun) void admission?.unchecked(() => ended);
      hasBegun = true;
    },
    end,
  };
}

/** No dry run tries what is above the settle point. */
function isUntried(pass: Pass, object: ObjectMetadata): boolean {
  return isAboveSettlePoint(object.resourceVersion, pass.checkAbove);
}

interface Writing extends Omit<Ways, "shown"> {
  unchecked: Unchecked;
  attempts: Attempts;
  /** An earlier write was of the same object. */
  goesOn?: boolean;
}

/** Sends the write of one object in its turn, after the check that it needs, until it is answered or rejected. */
export async function writeInTurn(
  pass: Pass,
  object: ObjectMetadata,
  writing: AnsweredWrite,
  { unchecked, throughStatus, plainFirst, attempts, goesOn = false }: Writing,
): Promise<ObjectAnswer<Kept>> {
  const mayHide = (at: string) => mayHideIn(pass, at);
  const mustCheck = async () => !pass.guard.isOff && (throughStatus || isUntried(pass, object) || (await pass.guard.mustCheck(object)));
  const check = checkBeforeWrite(object, mustCheck, (tells) =>
    lossRefusal({ ...pass, admission: pass.guard.admission, mayHide, ...tells }, object, throughStatus),
  );
  const noted = { ...pass, onPatch: notingSent(writing, pass.onPatch) };
  const send = async (): Promise<Kept> => {
    if (!check.isMade()) unchecked.begin();
    const ways = { throughStatus, plainFirst, shown: check.shown() };
    if (!pass.keepOwnership) return { ...(await patchObject(noted, object, ways, attempts)), kept: false, isChecked: check.isMade() };
    const kept = await rewriteKeepingOwnership(noted, object, ways, attempts);
    return typeof kept === "string" ? kept : { isChecked: true, ...kept };
  };
  const stored = (kept: Kept) => typeof kept !== "string" && kept.resourceVersion !== object.resourceVersion;
  const answer = await requestForObject(pass, object, send, {
    ...{ effect: { stored }, look: lookAfter(attempts, check.look), goesOn: goesOn || throughStatus || !plainFirst },
  });
  const written = writtenOf(answer);
  if (written && !written.moved && !written.unanswered) writing.showsStorage();
  // Whatever the last answer says of the object now, it says nothing of a write that may still be on its way.
  if (answer.kind === "rejected" && attempts.unanswered) answer.mayBeStored = true;
  if (answer.kind === "rejected" && answer.mayBeStored) {
    pass.tally.countUnknown();
    pass.ownEntries.unknown(object);
  }
  if (written?.unforetold && !pass.guard.isOff) {
    await noteFind(pass, object, { found: "changed", foundAt: written.resourceVersion }).catch(() => {});
    throw changedAgainstCheck(object);
  }
  if (written?.deleted) {
    const isAccepted = pass.guard.accepts({ kind: "dropped", path: "metadata.finalizers", before: null, after: null });
    if (object.finalizers.length > 0 && !isAccepted) throw deletedByWrite(object);
    return { kind: "gone" };
  }
  if (written && isRaised(object, written)) {
    if (!check.isMade()) noteRaised(pass.guard, written);
    else if (!written.kept) {
      const { resourceVersion: foundAt } = written;
      // What can't be recorded isn't believed either, and says less than what the write lost.
      if (stored(written)) await noteFind(pass, object, { found: "changed", foundAt }).catch(() => {});
      check.requireForetold();
    }
  }
  return answer;
}

function isRaised({ generation }: ObjectMetadata, written: Exclude<Kept, string>): boolean {
  return written.generation !== null && generation !== null && written.generation > generation;
}

/**
 * Notes that a write that nothing checked has changed the object: an empty patch at the resourceVersion that was listed raises no
 * generation, unless it adds a default or something in admission has changed the object.
 */
function noteRaised({ admission, expectedRises }: Pick<LossGuard, "admission" | "expectedRises">, { kept }: Exclude<Kept, string>): void {
  // Entries are carried over in the object as it is by then: someone else may have changed it since the list.
  if (kept) admission?.distrust();
  else admission?.raised(expectedRises);
}
