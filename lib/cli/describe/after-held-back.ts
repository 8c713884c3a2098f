import { delegates } from "#lib/domain/rewrite/engines.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";

/** The next step after a run held back by losses: how to see them, and which options let the next run proceed. */
export function afterHeldBack({ crd, engine }: Pick<Run, "crd" | "engine">, program: string): string {
  // The cluster's own engine can't carry managedFields over.
  const keeping = delegates(engine) ? "" : " (or --keep-ownership to keep managedFields)";
  return `See the losses: ${program} dry-run ${crd}; accept them and continue: ${program} rewrite ${crd} --accept-losses${keeping}`;
}
