import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { noteFind, type Pass } from "#lib/rewrite/run/pass.ts";
import type { ObjectWrite } from "#lib/rewrite/run/unconfirmed-writes.ts";
import { type Attempts, noAttempts } from "./note-lost-answer.ts";
import { wasNeverStored } from "./was-never-stored.ts";

export interface AnsweredWrite extends ObjectWrite {
  attempts: Attempts;
  /** The object was changed by someone else, and is written as it is then. */
  movedTo(object: ObjectMetadata): void;
  /** An answer shows how the object was stored, so a later write of it shows nothing more. */
  showsStorage(): void;
}

/**
 * Notes what a write may have stored if `work`, which sends it, ends before its answer. It may be stored after any look at the object, so it
 * disproves what its answer might have disproved.
 */
export async function notingUnanswered<Outcome>(
  pass: Pass,
  object: ObjectMetadata,
  write: ObjectWrite,
  work: (write: AnsweredWrite) => Promise<Outcome>,
): Promise<Outcome> {
  const attempts = noAttempts(pass.answering);
  let isShown = false;
  let sentAt: number | null = null;
  let current = object;
  const sent = () => {
    sentAt = Date.now();
    write.sent();
  };
  const movedTo = (now: ObjectMetadata) => {
    current = now;
  };
  const showsStorage = () => {
    isShown = true;
  };
  try {
    return await work({ ...write, attempts, sent, movedTo, showsStorage });
  } catch (error) {
    if (sentAt !== null) {
      pass.tally.countUnknown();
      pass.ownEntries.unknown(object);
    }
    if (attempts.unanswered && !isShown) {
      const wasNothing = (endsAfterMs: number, signal: AbortSignal) =>
        wasNeverStored(pass, current, { sentAt: sentAt ?? Date.now(), endsAfterMs, signal });
      // The end of the run is recorded without what that disproves.
      noteFind(pass, current, { found: "changed", foundAt: current.resourceVersion, wasNothing }).catch(() => {});
    }
    throw error;
  }
}
