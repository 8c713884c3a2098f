import type { OnPatch } from "#lib/domain/rewrite/sent-patches.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";

/** The writes of which no later reading of the definition says that it was unchanged. */
export interface UnconfirmedWrites {
  /** Begins with one object. */
  begin(): ObjectWrite;
  /** To be called right before the definition is read; then, if it was unchanged, what this returned. */
  reading(): () => void;
  /** How many objects these writes may have changed. */
  objects(): number;
}

/** What is sent for one object. */
export interface ObjectWrite {
  /** A write is about to be sent. */
  sent(): void;
  /** Nothing more is sent for it. */
  ended(as: "written" | "unchanged"): void;
}

/** What `work` writes of one object is unconfirmed from its end on, however it ends, unless `isUnchanged` says that nothing was stored. */
export async function notingWrites<Outcome>(
  writes: UnconfirmedWrites,
  work: (write: ObjectWrite) => Promise<Outcome>,
  isUnchanged: (outcome: Outcome) => boolean,
): Promise<Outcome> {
  const write = writes.begin();
  let end: Parameters<ObjectWrite["ended"]>[0] = "written";
  try {
    const outcome = await work(write);
    if (isUnchanged(outcome)) end = "unchanged";
    return outcome;
  } finally {
    write.ended(end);
  }
}

/** Notes each write before it is sent, and passes what is sent on to `onPatch`. */
export function notingSent({ sent }: Pick<ObjectWrite, "sent">, onPatch?: OnPatch): OnPatch {
  return (purpose, isTested) => {
    if (purpose !== "dryRun") sent();
    onPatch?.(purpose, isTested);
  };
}

/** An object's writes are confirmed once a reading that was sent after their end finds the definition unchanged. */
export function unconfirmedWrites(): UnconfirmedWrites {
  const underWay = new Set<object>();
  let ended = 0;
  let confirmed = 0;
  return {
    begin() {
      const write = {};
      return {
        sent: () => void underWay.add(write),
        ended(as) {
          if (underWay.delete(write) && as === "written") ended += 1;
        },
      };
    },
    reading() {
      const before = ended;
      return () => {
        confirmed = Math.max(confirmed, before);
      };
    },
    objects: () => underWay.size + ended - confirmed,
  };
}

/** What the end of the work says of writes that no later reading of the definition has confirmed. */
export function sentenceOfUnconfirmed(objects: number): string {
  return (
    `${formatCountOf(objects, "object")} ${objects === 1 ? "was" : "were"} written after crdshift last found the definition unchanged. ` +
    "If it had changed by then, fields that its new storage version lacks may be lost: compare with a backup."
  );
}
