"use client";

import { useMutation } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { rewriteHref } from "#components/shell/hrefs.ts";
import { Button } from "#components/ui/button.tsx";
import { MessageDialog } from "#components/ui/message-dialog.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { runSchema } from "#lib/contract/run.ts";
import { ApiError } from "#lib/queries/api-client.ts";
import { startRewrite } from "#lib/queries/rewrite-mutations.ts";

/** Starts a rewrite and goes to its page. */
export function StartRewriteButton(props: { cluster: string; crd: CrdDetail; primary: boolean; describedBy: string | undefined }) {
  const { cluster, crd, primary, describedBy } = props;
  const router = useRouter();
  const { mutateAsync, isPending, isSuccess, error, reset } = useMutation(startRewrite(cluster, crd.name));
  // Not the callback of mutate(): the run's first event takes this button off the page, and the callback with it.
  const start = () =>
    mutateAsync({}).then(
      ({ id }) => router.push(rewriteHref(cluster, crd.name, id)),
      () => {},
    );
  const run = error ? runInTheWay(error) : null;
  return (
    <>
      <Button
        weight={primary ? "primary" : "quiet"}
        onClick={start}
        disabled={crd.actions.rewrite.refusal !== null || isPending || isSuccess}
        aria-describedby={describedBy}
      >
        {isPending || isSuccess ? "Starting…" : "Rewrite"}
      </Button>
      <MessageDialog title="The rewrite did not start" open={error !== null} onClose={reset}>
        {error ? (
          <ApiErrorNotice error={error}>
            {run ? (
              <Link className="text-ink underline underline-offset-2" href={rewriteHref(cluster, crd.name, run)} prefetch={false}>
                Go to the rewrite that is in the way
              </Link>
            ) : null}
          </ApiErrorNotice>
        ) : null}
      </MessageDialog>
    </>
  );
}

function runInTheWay(error: Error): string | null {
  const run = error instanceof ApiError ? runSchema.safeParse(error.details?.run) : null;
  return run?.success ? run.data.id : null;
}
