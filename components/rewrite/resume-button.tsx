"use client";

import { useMutation } from "@tanstack/react-query";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button } from "#components/ui/button.tsx";
import { MessageDialog } from "#components/ui/message-dialog.tsx";
import type { Run } from "#lib/contract/run.ts";
import { resumeRewrite } from "#lib/queries/rewrite-mutations.ts";

/** Goes on with an interrupted run. */
export function ResumeButton({ cluster, run }: { cluster: string; run: Run }) {
  const { mutate, isPending, isSuccess, error, reset } = useMutation(resumeRewrite(cluster, run.crd, run.id));
  const pressed = isPending || isSuccess;
  return (
    <>
      <Button weight="primary" onClick={() => mutate()} disabled={pressed}>
        {pressed ? "Resuming…" : "Resume"}
      </Button>
      <MessageDialog title="The rewrite was not resumed" open={error !== null} onClose={reset}>
        {error ? <ApiErrorNotice error={error} /> : null}
      </MessageDialog>
    </>
  );
}
