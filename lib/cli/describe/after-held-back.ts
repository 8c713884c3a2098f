import type { Run } from "#lib/domain/rewrite/run.ts";

/** What to do after a run that was held back by what it would lose: where that is shown, and by which options the next one goes on. */
export function afterHeldBack({ crd, engine }: Pick<Run, "crd" | "engine">, program: string): string {
  // The cluster's own engine can't carry managedFields over.
  const keeping = engine === "in-tree" ? "" : " (or --keep-ownership, which carries managedFields over)";
  return `See what would be lost: ${program} dry-run ${crd}; to go on all the same: ${program} rewrite ${crd} --accept-losses${keeping}`;
}
