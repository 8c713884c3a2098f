/** How an object ended. */
export type Outcome =
  | { kind: "alreadyCurrent" | "gone" }
  /** `throughStatus` if the main resource rejected it; `ownership` if managedFields were carried over or emptied. */
  | { kind: "rewritten"; throughStatus?: boolean; ownership?: "kept" | "lost" }
  | { kind: "rejected"; reason: string; message: string };
