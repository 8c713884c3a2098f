/** How an object ended. */
export type Outcome =
  | { kind: "gone" }
  /** `ownership` if managedFields were carried over, and nothing else was to be written. */
  | { kind: "alreadyCurrent"; ownership?: "kept" }
  /**
   * `resourceVersion` is what the patch left; `throughStatus` if the main resource rejected it; `ownership` if managedFields were carried
   * over or emptied.
   */
  | { kind: "rewritten"; resourceVersion: string; throughStatus?: boolean; ownership?: "kept" | "lost" }
  /** `ownership` if it was written all the same, and emptied; `mayBeStored` if a try before the rejection got no answer. */
  | { kind: "rejected"; reason: string; message: string; ownership?: "lost"; mayBeStored?: true };
