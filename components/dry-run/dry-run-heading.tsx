"use client";

import { useMutation } from "@tanstack/react-query";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { ChangeButton } from "#components/shared/change-button.tsx";
import { DryRunPhaseMark } from "#components/shared/marks.tsx";
import { RunHeading } from "#components/shared/run-heading.tsx";
import { MessageDialog } from "#components/ui/dialog.tsx";
import { Fact } from "#components/ui/fact.tsx";
import { Time } from "#components/ui/time.tsx";
import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { cancelDryRun } from "#lib/queries/rewrite/dry-runs.ts";

/** What the dry run tries, who started it, its sample size, and its Cancel button. */
export function DryRunHeading({ cluster, dryRun, plural }: { cluster: string; dryRun: DryRun; plural: string }) {
  return (
    <RunHeading
      what="Dry run"
      plural={plural}
      run={dryRun}
      phase={<DryRunPhaseMark phase={dryRun.phase} />}
      commands={dryRun.phase === "running" ? <CancelDryRunButton cluster={cluster} dryRun={dryRun} /> : null}
    >
      {dryRun.endedAt ? (
        <Fact name="Ended">
          <Time at={dryRun.endedAt} seconds />
        </Fact>
      ) : null}
      <Fact name="Sample">at most {formatCount(dryRun.sampleSize)} objects</Fact>
      <Fact name="Generation">{dryRun.generation}</Fact>
    </RunHeading>
  );
}

/** Cancels the dry run; shows as pending until the dry run has ended. */
function CancelDryRunButton({ cluster, dryRun }: { cluster: string; dryRun: DryRun }) {
  const { mutate, isPending, isSuccess, error, reset } = useMutation(cancelDryRun(cluster, dryRun.crd, dryRun.id));
  const pressed = isPending || isSuccess;
  return (
    <>
      <ChangeButton onClick={() => mutate()} disabled={pressed} title="Nothing is stored; the findings so far are kept">
        {pressed ? "Cancelling…" : "Cancel"}
      </ChangeButton>
      <MessageDialog title="Couldn't cancel the dry run" open={error !== null} onClose={reset}>
        {error ? <ApiErrorNotice error={error} /> : null}
      </MessageDialog>
    </>
  );
}
