import type { LossKind } from "./losses.ts";

/** The label and meaning of each kind of loss. */
export const lossWords: Record<LossKind, { word: string; meaning: string }> = {
  dropped: { word: "dropped", meaning: "The storage version's schema doesn't have this field, so its value is deleted from etcd." },
  changed: { word: "changed", meaning: "The rewrite changes this value." },
  "managed-fields": {
    word: "ownership lost",
    meaning: "The manager loses its entry in managedFields; its next server-side apply conflicts unless forced.",
  },
  defaulted: {
    word: "default added",
    meaning: "A default becomes part of the stored object. Nothing is lost, and no rewrite is held back for it.",
  },
};
