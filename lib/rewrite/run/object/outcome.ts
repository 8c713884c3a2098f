/** How an object ended. */
export type Outcome =
  | { kind: "gone" }
  /**
   * `ownership` if managedFields were carried over, and nothing else was to be written; `isBusy` if others changed it before each patch, so
   * that none shows how it is stored; `isWritten` if a patch stored it anew, at the version at which it was.
   */
  | { kind: "alreadyCurrent"; ownership?: "kept"; isBusy?: true; isWritten?: true }
  /**
   * `resourceVersion` is what the patch left; `throughStatus` if the main resource rejected it; `ownership` if managedFields were carried
   * over or emptied.
   */
  | { kind: "rewritten"; resourceVersion: string; throughStatus?: boolean; ownership?: "kept" | "lost" }
  | Rejected;

interface Rejected {
  kind: "rejected";
  reason: string;
  message: string;
  /** It was written all the same, and its managedFields are emptied. */
  ownership?: "lost";
  /** A try before the rejection got no answer. */
  mayBeStored?: true;
  /** Its resourceVersion when it was rejected, if someone has changed it since the list. */
  movedTo?: string;
}
