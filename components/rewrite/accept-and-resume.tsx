"use client";

import { useState } from "react";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { LossList } from "#components/crd/loss-list.tsx";
import { refusedLosses } from "#components/start-rewrite/refused-losses.ts";
import { Button } from "#components/ui/button.tsx";
import { ChoiceField } from "#components/ui/choice-field.tsx";
import type { Run } from "#lib/contract/run.ts";
import { acceptAndResumeRewrite } from "#lib/queries/rewrite-mutations.ts";
import { useChange } from "#lib/queries/use-change.ts";

/** Where a run was not resumed for losses that a dry run has told since: the losses, and the acknowledgement that lets it go on. */
export function AcceptAndResume(props: { cluster: string; run: Run; error: Error; onResumed: () => void }) {
  const { cluster, run, onResumed } = props;
  const [accepted, setAccepted] = useState(false);
  const { mutate, isPending, error } = useChange(acceptAndResumeRewrite(cluster, run.crd, run.id));
  const losses = refusedLosses(props.error);
  if (!losses) return null;
  return (
    <>
      <LossList label="What the rewrite would change" losses={losses} more={0} />
      <ChoiceField type="checkbox" label="I accept that these are lost" checked={accepted} onChange={setAccepted}>
        There is no undo. Your name, the time and this list become part of the proof.
      </ChoiceField>
      {error ? <ApiErrorNotice error={error} /> : null}
      <Button
        weight="primary"
        className="self-end"
        disabled={!accepted || isPending}
        onClick={() => mutate(undefined, { onSuccess: onResumed })}
      >
        {isPending ? "Resuming…" : "Resume"}
      </Button>
    </>
  );
}
