import { OneClickButton } from "#components/crd/rights/change-button.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { restoreStoredVersions } from "#lib/queries/definition/definition-mutations.ts";

/** Undoes the last prune, or repairs storedVersions if it lacks versions that objects are or may be stored in. */
export function RestoreButton(props: { cluster: string; crd: CrdDetail; primary: boolean; describedBy: string | undefined }) {
  const { cluster, crd, primary, describedBy } = props;
  const isMissing = crd.missingStoredVersions.length > 0;
  const versions = isMissing ? crd.missingStoredVersions : (crd.lastPrune?.versions ?? []);
  const names = versions.join(", ");
  const label = isMissing ? "Repair storedVersions" : "Undo prune";
  return (
    <OneClickButton
      mutation={restoreStoredVersions(cluster, crd.name, label)}
      variables={versions}
      action="prune"
      label={label}
      pendingLabel={isMissing ? "Repairing…" : "Undoing…"}
      failure={isMissing ? "Couldn't repair storedVersions" : "Couldn't undo the prune"}
      weight={primary ? "primary" : "quiet"}
      disabled={crd.actions.restore.refusal !== null}
      describedBy={describedBy}
      hint={`Adds ${names} to status.storedVersions again`}
    />
  );
}
