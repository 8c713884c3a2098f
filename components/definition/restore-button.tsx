"use client";

import { useMutation } from "@tanstack/react-query";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button } from "#components/ui/button.tsx";
import { MessageDialog } from "#components/ui/message-dialog.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { restoreStoredVersions } from "#lib/queries/stored-versions-mutations.ts";

/** Puts the versions of the last prune back, or those that somebody took out unproven. */
export function RestoreButton({ cluster, crd, describedBy }: { cluster: string; crd: CrdDetail; describedBy: string | undefined }) {
  const { mutate, isPending, error, reset } = useMutation(restoreStoredVersions(cluster, crd.name));
  const isShrunk = crd.shrankWithoutProof.length > 0;
  const versions = isShrunk ? crd.shrankWithoutProof : (crd.lastPrune?.versions ?? []);
  return (
    <>
      <Button
        onClick={() => mutate(versions)}
        disabled={crd.actions.restore.refusal !== null || isPending}
        aria-describedby={describedBy}
        title={`Puts ${versions.join(", ")} back into status.storedVersions`}
      >
        {isPending ? "Putting back…" : isShrunk ? `Put back ${versions.join(", ")}` : "Undo prune"}
      </Button>
      <MessageDialog title="The versions were not put back" open={error !== null} onClose={reset}>
        {error ? <ApiErrorNotice error={error} /> : null}
      </MessageDialog>
    </>
  );
}
