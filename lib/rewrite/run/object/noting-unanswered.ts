import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { clusterAnswer } from "#lib/cluster/transport/errors.ts";
import { noteFind, type Pass } from "#lib/rewrite/run/pass.ts";
import type { ObjectWrite } from "#lib/rewrite/run/unconfirmed-writes.ts";

export interface AnsweredWrite extends ObjectWrite {
  /** An answer came; whether it shows how the object was stored, so that a later write of it shows nothing more. */
  answered(showsStorage: boolean): void;
}

/** Notes what a write may have stored if `work`, which sends it, ends before its answer. */
export async function notingUnanswered<Outcome>(
  pass: Pass,
  object: ObjectMetadata,
  write: ObjectWrite,
  work: (write: AnsweredWrite) => Promise<Outcome>,
): Promise<Outcome> {
  let [isSent, isOpen, isShown] = [false, false, false];
  const sent = () => {
    isSent = true;
    isOpen = !isShown;
    write.sent();
  };
  const answered = (showsStorage: boolean) => {
    isOpen = false;
    isShown ||= showsStorage;
  };
  try {
    return await work({ ...write, sent, answered });
  } catch (error) {
    if (isSent) {
      pass.tally.countUnknown();
      pass.ownEntries.unknown(object);
      if (isOpen) noteUnanswered(pass, object, error);
    }
    throw error;
  }
}

/**
 * A write that was sent, and gets no answer because the pass ends, may be stored after any look at the object, so it disproves what its answer
 * might have disproved. That holds from this call on: what can't be recorded any more, the end of the run is recorded without.
 */
function noteUnanswered(pass: Pass, object: ObjectMetadata, error: unknown): void {
  const status = clusterAnswer(error)?.status ?? 0;
  const wasRefused = status >= 400 && status < 500;
  if (!wasRefused) noteFind(pass, object, { found: "changed", foundAt: object.resourceVersion }).catch(() => {});
}
