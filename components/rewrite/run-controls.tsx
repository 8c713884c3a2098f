"use client";

import type { UseMutationOptions } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { LossList } from "#components/crd/losses/loss-list.tsx";
import { ChangeButton } from "#components/crd/rights/change-button.tsx";
import { refusedLosses } from "#components/start-rewrite/refused-losses.ts";
import { Button } from "#components/ui/button.tsx";
import { ChoiceField } from "#components/ui/choice-field.tsx";
import { MessageDialog } from "#components/ui/message-dialog.tsx";
import type { Run } from "#lib/contract/rewrite/run.ts";
import type { GuardedAction } from "#lib/domain/rewrite/needed-rights.ts";
import { isDelegated, isLive } from "#lib/domain/rewrite/run.ts";
import { acceptAndResumeRewrite, cancelRewrite, pauseRewrite, resumeRewrite } from "#lib/queries/rewrite/rewrite-mutations.ts";
import { useChange } from "#lib/queries/session/use-change.ts";
import { useControlAction } from "./use-control-action.ts";

/** The commands that are possible now. One that is pressed and not in force yet shows as that, and a pause can be taken back. */
export function RunControls({ cluster, run }: { cluster: string; run: Run }): ReactNode {
  const action = useControlAction(run);
  if (run.phase === "interrupted") return <Resume cluster={cluster} run={run} label="Resume" primary />;
  if (!isLive(run)) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {run.phase === "paused" ? (
        <Resume cluster={cluster} run={run} label="Resume" primary />
      ) : (
        <>
          {run.command === "pause" ? <Resume cluster={cluster} run={run} label="Take back" takeBack={action} /> : null}
          {run.command === "cancel" || isDelegated(run) ? null : (
            <CommandButton
              command={pauseRewrite(cluster, run.crd, run.id)}
              action={action}
              label="Pause"
              pressedLabel="Pausing…"
              pressed={run.command === "pause"}
              refusedTitle="The rewrite was not paused"
              title="Waits after the objects in flight, for as long as you like"
            />
          )}
        </>
      )}
      <CommandButton
        command={cancelRewrite(cluster, run.crd, run.id)}
        action={action}
        label="Cancel"
        pressedLabel="Cancelling…"
        pressed={run.command === "cancel"}
        refusedTitle="The rewrite was not cancelled"
        title={
          isDelegated(run)
            ? "Ends the watch. The cluster's own engine can't be stopped, and goes on by itself"
            : "Stops after the objects in flight; what is rewritten stays rewritten"
        }
      />
    </div>
  );
}

interface ResumeProps {
  cluster: string;
  run: Run;
  label: "Resume" | "Take back";
  takeBack?: GuardedAction | undefined;
  primary?: boolean;
}

function Resume({ cluster, run, label, takeBack, primary = false }: ResumeProps) {
  return (
    <CommandButton
      command={resumeRewrite(cluster, run.crd, run.id)}
      action={label === "Resume" ? "rewrite" : takeBack}
      label={label}
      pressedLabel={label === "Resume" ? "Resuming…" : "Taking back…"}
      refusedTitle="The rewrite was not resumed"
      onRefusal={(error, close) => <AcceptAndResume cluster={cluster} run={run} error={error} onResumed={close} />}
      primary={primary}
    />
  );
}

/** Where a run was not resumed for losses that a dry run has told since: the losses, and the acknowledgement that lets it go on. */
function AcceptAndResume(props: { cluster: string; run: Run; error: Error; onResumed: () => void }) {
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

interface Props {
  command: UseMutationOptions<Run, Error, void>;
  action?: GuardedAction | undefined;
  label: string;
  /** What it says from the press until the server has answered. */
  pressedLabel: string;
  /** The title over what the server says against it. */
  refusedTitle: string;
  title?: string;
  primary?: boolean;
  /** What can be done about a refusal, beside its words. */
  onRefusal?: (error: Error, close: () => void) => ReactNode;
  /** Pressed, by whomever, and not in force yet. */
  pressed?: boolean;
}

/** A command to a run; says so from the press until it is in force. */
function CommandButton(props: Props) {
  const { command, action, label, pressedLabel, refusedTitle, title, onRefusal, primary = false, pressed = false } = props;
  const { mutate, isPending, error, reset } = useChange(command);
  const waits = pressed || isPending;
  return (
    <>
      <ChangeButton action={action} weight={primary ? "primary" : "quiet"} onClick={() => mutate()} disabled={waits} title={title}>
        {waits ? pressedLabel : label}
      </ChangeButton>
      <MessageDialog title={refusedTitle} open={error !== null} onClose={reset}>
        {error ? <ApiErrorNotice error={error} /> : null}
        {error ? onRefusal?.(error, reset) : null}
      </MessageDialog>
    </>
  );
}
