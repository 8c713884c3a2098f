import { withOwnEvidence } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { validDryRun } from "#lib/domain/record/valid-evidence.ts";
import { withCaveats } from "#lib/domain/rewrite/run.ts";
import type { Progress } from "#lib/rewrite/run/progress/progress.ts";

const OWNS_DEFAULTS = "The cluster's own engine may have stored new defaults";

/**
 * Adds to the run's caveats that the cluster's own engine may own defaults: it writes them by its own name, and takes no entry back. To be
 * noted as it begins: a later dry run no longer finds them.
 */
export function noteOwnedDefaults({ heldRun, state }: Progress): void {
  const { connection, crd } = heldRun;
  const dryRun = validDryRun(withOwnEvidence(connection, fleetOf(connection).crd(crd.name) ?? crd));
  const found = dryRun?.losses.find(({ kind }) => kind === "defaulted");
  if (!found || state.run.caveats.some((caveat) => caveat.startsWith(OWNS_DEFAULTS))) return;
  const caveat =
    `${OWNS_DEFAULTS}, such as ${found.path}. It owns these, and any atomic list or map around them, ` +
    "so its owners' next apply may conflict with storage-version-migrator-controller: let them apply once with --force-conflicts.";
  state.run = { ...state.run, caveats: withCaveats(state.run.caveats, [caveat]) };
}
