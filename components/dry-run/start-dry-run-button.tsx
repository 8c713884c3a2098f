"use client";

import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { dryRunHref } from "#components/hrefs.ts";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { ChangeButton } from "#components/shared/change-button.tsx";
import { MessageDialog } from "#components/ui/dialog.tsx";
import { startDryRun } from "#lib/queries/rewrite/dry-runs.ts";

interface Props {
  cluster: string;
  crd: string;
  primary?: boolean;
  label?: string;
  /** The most objects to try; the server's default if omitted. */
  sampleSize?: number | undefined;
  disabled: boolean;
  describedBy?: string | undefined;
}

/** Starts a dry run and opens its page. */
export function StartDryRunButton({ cluster, crd, primary = false, label = "Dry run", sampleSize, disabled, describedBy }: Props) {
  const router = useRouter();
  const { mutateAsync, isPending, isSuccess, error, reset } = useMutation(startDryRun(cluster, crd));
  const start = () =>
    mutateAsync(sampleSize === undefined ? {} : { sampleSize }).then(
      ({ id }) => router.push(dryRunHref(cluster, crd, id)),
      () => {},
    );
  return (
    <>
      <ChangeButton
        action="dry-run"
        weight={primary ? "primary" : "quiet"}
        onClick={start}
        disabled={disabled || isPending || isSuccess}
        aria-describedby={describedBy}
        title="Sends the same patches with dryRun=All: nothing is stored, and watchers get no events"
      >
        {isPending || isSuccess ? "Starting…" : label}
      </ChangeButton>
      <MessageDialog title="Couldn't start the dry run" open={error !== null} onClose={reset}>
        {error ? <ApiErrorNotice error={error} /> : null}
      </MessageDialog>
    </>
  );
}
