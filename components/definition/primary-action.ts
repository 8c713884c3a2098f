import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { isLive } from "#lib/domain/rewrite/run.ts";
/** The primary action; `label` is set if it is a link to the newest run. */
export type PrimaryAction =
  | { action: "watch" | "resume" | "inspect"; label: string }
  | { action: "dry-run" | "rewrite" | "prune" | "restore" | "none"; label: null };

export function primaryAction(
  crd: Pick<CrdDetail, "state" | "activeRun" | "run" | "dryRun" | "missingStoredVersions" | "contradiction" | "actions">,
): PrimaryAction {
  if (crd.activeRun || (crd.run && isLive(crd.run))) return { action: "watch", label: "Watch rewrite" };
  switch (crd.state) {
    case "prunable":
      return { action: "prune", label: null };
    case "needs-rewrite":
      if (crd.run?.phase === "interrupted") return { action: "resume", label: "View interrupted rewrite" };
      // Offer the rewrite only once a valid dry run shows what it does.
      return { action: crd.dryRun?.invalidBecause === null ? "rewrite" : "dry-run", label: null };
    case "blocked":
      if (crd.missingStoredVersions.length > 0) return { action: crd.actions.restore.refusal === null ? "restore" : "none", label: null };
      if (crd.contradiction) return { action: "rewrite", label: null };
      if (crd.run?.heldBackBecause) return { action: "rewrite", label: null };
      if (crd.run?.phase === "unproven") return { action: "inspect", label: "View rejected objects" };
      return { action: "none", label: null };
    case "rewriting":
    case "current":
    case "unknown":
      return { action: "none", label: null };
    default:
      return crd.state satisfies never;
  }
}
