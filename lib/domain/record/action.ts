/**
 * What crdshift does to a definition and tells of: in an Event, in its log and in the history. Each with the Event's reason and
 * type; a new kind is one line here.
 */
export const actions = {
  started: { reason: "RewriteStarted", type: "Normal" },
  paused: { reason: "RewritePaused", type: "Normal" },
  resumed: { reason: "RewriteResumed", type: "Normal" },
  limited: { reason: "RewriteLimited", type: "Normal" },
  succeeded: { reason: "RewriteSucceeded", type: "Normal" },
  blocked: { reason: "RewriteBlocked", type: "Warning" },
  cancelled: { reason: "RewriteCancelled", type: "Normal" },
  interrupted: { reason: "RewriteInterrupted", type: "Warning" },
  failed: { reason: "RewriteFailed", type: "Warning" },
  pruned: { reason: "StoredVersionsPruned", type: "Normal" },
  restored: { reason: "StoredVersionsRestored", type: "Normal" },
  changed: { reason: "VersionChanged", type: "Normal" },
  removed: { reason: "VersionRemoved", type: "Normal" },
  readded: { reason: "VersionPutBack", type: "Normal" },
  unconverted: { reason: "ConversionDropped", type: "Normal" },
  reconverted: { reason: "ConversionPutBack", type: "Normal" },
  cleaned: { reason: "ManagedFieldsCleaned", type: "Normal" },
  justified: { reason: "ChangeJustified", type: "Normal" },
} as const satisfies Record<string, { reason: string; type: "Normal" | "Warning" }>;

export type ActionKind = keyof typeof actions;

/** One action: what, when, by whom and for which run. */
export interface Action {
  kind: ActionKind;
  /** RFC 3339. */
  at: string;
  /** The user as the API server calls it; null where that is not known. */
  by: string | null;
  run: string | null;
  /** A plain sentence. */
  message: string;
}

/** The kind whose Event has this reason; null for a reason that is not crdshift's, or a newer crdshift's. */
export function actionOfReason(reason: string): ActionKind | null {
  for (const [kind, action] of Object.entries(actions)) {
    // Object.entries widens the keys of a constant.
    if (action.reason === reason) return kind as ActionKind;
  }
  return null;
}
