/** How an object ended. */
export type Outcome =
  | { kind: "alreadyCurrent" | "gone" }
  /**
   * `resourceVersion` is what the patch left; `throughStatus` if the main resource rejected it; `ownership` if managedFields were carried
   * over or emptied; `wasCurrent` if nothing but managedFields was to be written.
   */
  | { kind: "rewritten"; resourceVersion: string; throughStatus?: boolean; ownership?: "kept" | "lost"; wasCurrent?: boolean }
  /** `ownership` if it was written all the same, and emptied; `mayBeStored` if a try before the rejection got no answer. */
  | { kind: "rejected"; reason: string; message: string; ownership?: "lost"; mayBeStored?: true };
