"use client";

import { useMutation } from "@tanstack/react-query";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button } from "#components/ui/button.tsx";
import { MessageDialog } from "#components/ui/message-dialog.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { restoreStoredVersions } from "#lib/queries/stored-versions-mutations.ts";

/** Puts the versions of the last prune back, or those that must be listed since objects are or may be stored in them. */
export function RestoreButton(props: { cluster: string; crd: CrdDetail; primary: boolean; describedBy: string | undefined }) {
  const { cluster, crd, primary, describedBy } = props;
  const { mutate, isPending, error, reset } = useMutation(restoreStoredVersions(cluster, crd.name));
  const isMissing = crd.missingStoredVersions.length > 0;
  const versions = isMissing ? crd.missingStoredVersions : (crd.lastPrune?.versions ?? []);
  return (
    <>
      <Button
        onClick={() => mutate(versions)}
        weight={primary ? "primary" : "quiet"}
        disabled={crd.actions.restore.refusal !== null || isPending}
        aria-describedby={describedBy}
        title={`Puts ${versions.join(", ")} back into status.storedVersions`}
      >
        {isPending ? "Putting back…" : isMissing ? `Put back ${versions.join(", ")}` : "Undo prune"}
      </Button>
      <MessageDialog title="The versions were not put back" open={error !== null} onClose={reset}>
        {error ? <ApiErrorNotice error={error} /> : null}
      </MessageDialog>
    </>
  );
}
