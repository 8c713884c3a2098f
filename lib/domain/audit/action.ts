/**
 * Actions on a definition that crdshift reports in an Event, in its log, and in the history, each with the Event's reason and type. A new
 * kind takes one line here.
 */
export const actions = {
  started: { reason: "RewriteStarted", type: "Normal" },
  paused: { reason: "RewritePaused", type: "Normal" },
  resumed: { reason: "RewriteResumed", type: "Normal" },
  limited: { reason: "RewriteLimited", type: "Normal" },
  succeeded: { reason: "RewriteSucceeded", type: "Normal" },
  unproven: { reason: "RewriteBlocked", type: "Warning" },
  cancelled: { reason: "RewriteCancelled", type: "Normal" },
  interrupted: { reason: "RewriteInterrupted", type: "Warning" },
  failed: { reason: "RewriteFailed", type: "Warning" },
  pruned: { reason: "StoredVersionsPruned", type: "Normal" },
  unpruned: { reason: "PruneUndone", type: "Normal" },
  repaired: { reason: "StoredVersionsRepaired", type: "Normal" },
  deprecated: { reason: "VersionDeprecated", type: "Normal" },
  unserved: { reason: "VersionUnserved", type: "Normal" },
  changed: { reason: "VersionChanged", type: "Normal" },
  removed: { reason: "VersionRemoved", type: "Normal" },
  readded: { reason: "VersionPutBack", type: "Normal" },
  unconverted: { reason: "ConversionDropped", type: "Normal" },
  reconverted: { reason: "ConversionPutBack", type: "Normal" },
  cleaned: { reason: "ManagedFieldsCleaned", type: "Normal" },
  justified: { reason: "ChangeJustified", type: "Normal" },
} as const satisfies Record<string, { reason: string; type: "Normal" | "Warning" }>;

export type ActionKind = keyof typeof actions;

/** One action: what, when, by whom, and for which run. */
export interface Action {
  kind: ActionKind;
  /** RFC 3339. */
  at: string;
  /** The API server's name for the user; null when unknown. */
  by: string | null;
  run: string | null;
  /** The versions it was done to, if it was done to any. */
  versions?: readonly string[];
  /** A plain sentence. */
  message: string;
}

/** The kind of an Event's reason; null for a reason from another source or a newer crdshift. */
export function actionOfReason(reason: string): ActionKind | null {
  for (const [kind, action] of Object.entries(actions)) {
    // Object.entries widens the keys.
    if (action.reason === reason) return kind as ActionKind;
  }
  return null;
}
