import type { CrdDetail } from "#lib/contract/crd.ts";
import { isLive } from "#lib/domain/rewrite.ts";

/** The one thing to do; `label` is set where it is to go and look at the newest run. */
export type PrimaryAction =
  | { action: "watch" | "resume" | "inspect"; label: string }
  | { action: "dry-run" | "rewrite" | "prune" | "restore" | "none"; label: null };

export function primaryAction(
  crd: Pick<CrdDetail, "state" | "activeRun" | "run" | "preflight" | "missingStoredVersions" | "contradiction" | "actions">,
): PrimaryAction {
  if (crd.activeRun || (crd.run && isLive(crd.run))) return { action: "watch", label: "Watch the rewrite" };
  switch (crd.state) {
    case "prunable":
      return { action: "prune", label: null };
    case "needs-rewrite":
      if (crd.run?.phase === "interrupted") return { action: "resume", label: "Go to the interrupted rewrite" };
      // What a rewrite does is to be known before it runs.
      return { action: crd.preflight?.invalidBecause === null ? "rewrite" : "dry-run", label: null };
    case "blocked":
      if (crd.missingStoredVersions.length > 0) return { action: crd.actions.restore.refusal === null ? "restore" : "none", label: null };
      if (crd.contradiction) return { action: "rewrite", label: null };
      if (crd.run?.heldBackBecause) return { action: "rewrite", label: null };
      if (crd.run?.phase === "blocked") return { action: "inspect", label: "See what was rejected" };
      return { action: "none", label: null };
    case "rewriting":
    case "current":
    case "unknown":
      return { action: "none", label: null };
    default:
      return crd.state satisfies never;
  }
}
