import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";
import type { Look } from "#lib/rewrite/run/object/request/look-after.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";

/** A check of one object before its write, which is decided on in the write's turn: that may come long after the object was listed. */
export interface CheckBeforeWrite {
  look: Look;
  /** Whether the last look was a check. */
  isMade(): boolean;
  /** The object as that check read it, as text; null if it wasn't made. */
  shown(): string | null;
  /** For a checked write that raised the object's generation. Throws StopRun if the check's dry run didn't. */
  requireForetold(): void;
}

/** What a check tells beside its refusal. */
interface Tells {
  /** Its dry run raises the object's generation. */
  onRise(): void;
  onShown(text: string): void;
}

export function checkBeforeWrite(
  object: ObjectName,
  mustCheck: () => Promise<boolean>,
  check: (tells: Tells) => ReturnType<Look>,
): CheckBeforeWrite {
  let [isMade, isForetold] = [false, false];
  let shown: string | null = null;
  const tells: Tells = {
    onRise() {
      isForetold = true;
    },
    onShown(text) {
      shown = text;
    },
  };
  return {
    async look() {
      [isForetold, shown] = [false, null];
      isMade = await mustCheck();
      return isMade ? check(tells) : null;
    },
    isMade: () => isMade,
    shown: () => shown,
    requireForetold() {
      if (!isForetold) throw changedAgainstCheck(object);
    },
  };
}

/**
 * Stops all writes after one with which the API server deleted an object that was being deleted: something in admission took the finalizers
 * that held it, and not in a dry run.
 */
export function deletedByWrite(object: ObjectName): StopRun {
  return new StopRun(
    "unproven",
    `${fullName(object)} was being deleted, and is gone with the write: a webhook or policy took the finalizers that held it, though not in ` +
      "a dry run. Find out which. Then start again, or accept losses unseen.",
  );
}

/** Stops all writes after one that emptied managedFields for good which a dry run right before it, of the same object, had kept. */
export function emptiedAgainstCheck(object: ObjectName): StopRun {
  return new StopRun(
    "unproven",
    `The write emptied the managedFields of ${fullName(object)}, although a dry run right before it kept them, and they can't be put back. ` +
      "API servers of two releases may be taking turns, as during an upgrade, or a conversion webhook may give other answers. Other writes that " +
      "were under way may have done the same. Once the upgrade is over, or the webhook works, start again, or accept the loss of ownership.",
  );
}

/**
 * Stops all writes after one that changed an object which the dry run right before it, of the same object, left as it is. Something in
 * admission, or the conversion webhook, takes dry runs for something else, and no check tells what it does to the next object. Or it came
 * into force between the two: then the next check would tell, but nothing tells the two apart.
 */
export function changedAgainstCheck(object: ObjectName): StopRun {
  return new StopRun(
    "unproven",
    `The write changed ${fullName(object)}, although a dry run right before it changed nothing. A webhook or policy treats dry ` +
      "runs differently, or came into force between the two, so crdshift can't tell what the next write would lose. Find out which, and " +
      "compare the object with its source; other writes that were under way may have done the same. Then start again, or accept losses " +
      "unseen.",
  );
}
