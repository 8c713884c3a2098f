"use client";

import { useMutation } from "@tanstack/react-query";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { ChangeButton } from "#components/crd/change-button.tsx";
import { MessageDialog } from "#components/ui/message-dialog.tsx";
import type { Preflight } from "#lib/contract/preflight.ts";
import { cancelPreflight } from "#lib/queries/preflight-mutations.ts";

/** Ends the dry run; says so from the press until it has ended. */
export function CancelDryRunButton({ cluster, preflight }: { cluster: string; preflight: Preflight }) {
  const { mutate, isPending, isSuccess, error, reset } = useMutation(cancelPreflight(cluster, preflight.crd, preflight.id));
  const pressed = isPending || isSuccess;
  return (
    <>
      <ChangeButton onClick={() => mutate()} disabled={pressed} title="Nothing is stored either way; what it found until then stays">
        {pressed ? "Cancelling…" : "Cancel"}
      </ChangeButton>
      <MessageDialog title="The dry run was not cancelled" open={error !== null} onClose={reset}>
        {error ? <ApiErrorNotice error={error} /> : null}
      </MessageDialog>
    </>
  );
}
