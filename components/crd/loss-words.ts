import type { LossKind } from "#lib/domain/losses.ts";

/** How each kind of loss is written, and what it means. */
export const lossWords: Record<LossKind, { word: string; meaning: string }> = {
  dropped: { word: "dropped", meaning: "The storage version's schema has no place for the field; its value is gone from etcd afterwards." },
  changed: { word: "changed", meaning: "The value comes back as another one." },
  "managed-fields": {
    word: "ownership lost",
    meaning: "The manager's entry in managedFields vanishes; its next server-side apply conflicts unless it is forced.",
  },
  defaulted: {
    word: "default added",
    meaning: "A default becomes part of the stored object. Nothing is lost, and nothing is held back by it.",
  },
};
