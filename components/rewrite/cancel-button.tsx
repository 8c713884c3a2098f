"use client";

import { useMutation } from "@tanstack/react-query";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button } from "#components/ui/button.tsx";
import { MessageDialog } from "#components/ui/message-dialog.tsx";
import type { Run } from "#lib/contract/run.ts";
import { cancelRewrite } from "#lib/queries/rewrite-mutations.ts";

/** Stops the run; says so from the press until it has stopped. */
export function CancelButton({ cluster, run }: { cluster: string; run: Run }) {
  const { mutate, isPending, isSuccess, error, reset } = useMutation(cancelRewrite(cluster, run.crd, run.id));
  const pressed = isPending || isSuccess;
  return (
    <>
      <Button onClick={() => mutate()} disabled={pressed} title="Stops after the objects in flight; what is rewritten stays rewritten">
        {pressed ? "Cancelling…" : "Cancel"}
      </Button>
      <MessageDialog title="The rewrite was not cancelled" open={error !== null} onClose={reset}>
        {error ? <ApiErrorNotice error={error} /> : null}
      </MessageDialog>
    </>
  );
}
