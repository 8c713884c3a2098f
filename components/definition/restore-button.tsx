import { OneClickButton } from "#components/crd/rights/one-click-button.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { restoreStoredVersions } from "#lib/queries/definition/stored-versions-mutations.ts";

/** Undoes the last prune, or puts back the versions that objects are or may be stored in. */
export function RestoreButton(props: { cluster: string; crd: CrdDetail; primary: boolean; describedBy: string | undefined }) {
  const { cluster, crd, primary, describedBy } = props;
  const isMissing = crd.missingStoredVersions.length > 0;
  const versions = isMissing ? crd.missingStoredVersions : (crd.lastPrune?.versions ?? []);
  const names = versions.join(", ");
  const label = isMissing ? `Put back ${names}` : "Undo prune";
  return (
    <OneClickButton
      mutation={restoreStoredVersions(cluster, crd.name, label)}
      variables={versions}
      action="prune"
      label={label}
      pendingLabel="Putting back…"
      failure="Couldn't put the versions back"
      weight={primary ? "primary" : "quiet"}
      disabled={crd.actions.restore.refusal !== null}
      describedBy={describedBy}
      hint={`Puts ${names} back into status.storedVersions`}
    />
  );
}
