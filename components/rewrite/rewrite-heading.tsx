"use client";

import type { UseMutationOptions } from "@tanstack/react-query";
import Link from "next/link";
import { type ReactNode, useState } from "react";
import { runEngineWords } from "#components/engines/engine-words.ts";
import { dryRunHref, reportHref } from "#components/hrefs.ts";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { ChangeButton } from "#components/shared/change-button.tsx";
import { LossList } from "#components/shared/loss-list.tsx";
import { PhaseMark } from "#components/shared/marks.tsx";
import { ResourceVersion } from "#components/shared/names.tsx";
import { RunHeading } from "#components/shared/run-heading.tsx";
import { AcceptUnseen } from "#components/start-rewrite/held-back-losses.tsx";
import { refusedLosses } from "#components/start-rewrite/shown-losses.ts";
import { MessageDialog } from "#components/ui/dialog.tsx";
import { Fact } from "#components/ui/fact.tsx";
import { Button, ButtonLink, ChoiceField } from "#components/ui/form.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import type { GuardedAction } from "#lib/domain/rewrite/needed-rights.ts";
import { isLive, isOtherEngineAtWork } from "#lib/domain/rewrite/run.ts";
import { canResume } from "#lib/domain/rewrite/run-verdict.ts";
import { acceptAndResumeRewrite, cancelRewrite, pauseRewrite, resumeRewrite } from "#lib/queries/rewrite/rewrite-mutations.ts";
import { useSession } from "#lib/queries/session/session-query.ts";
import { useChange } from "#lib/queries/session/use-change.ts";

/** What the run rewrites and to which version, who started it, and the commands available now. */
export function RewriteHeading({ cluster, run, plural, crd }: { cluster: string; run: Run; plural: string; crd: CrdDetail | null }) {
  const commands = (
    <div className="flex flex-wrap gap-2">
      <ButtonLink href={reportHref(cluster, run.crd, run.id)} prefetch={false}>
        Report
      </ButtonLink>
      <RunControls cluster={cluster} run={run} newest={crd?.run?.id ?? null} />
    </div>
  );
  return (
    <RunHeading what="Rewrite" plural={plural} run={run} phase={<PhaseMark phase={run.phase} />} commands={commands}>
      <Fact name="Engine">{runEngineWords[run.engine]}</Fact>
      {run.settleResourceVersion ? (
        <Fact name="Settle point">
          <ResourceVersion value={run.settleResourceVersion} />
        </Fact>
      ) : null}
      {run.endedAt ? (
        <Fact name="Ended">
          <Time at={run.endedAt} seconds />
        </Fact>
      ) : null}
    </RunHeading>
  );
}

/** The commands available now. A pressed command shows as pending until it takes effect, and a pending pause can be undone. */
function RunControls({ cluster, run, newest }: { cluster: string; run: Run; newest: string | null }): ReactNode {
  const action = useControlAction(run);
  if (canResume(run, newest)) return <Resume cluster={cluster} run={run} label="Resume" primary />;
  if (!isLive(run)) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {run.phase === "paused" ? (
        <Resume cluster={cluster} run={run} label="Resume" primary />
      ) : (
        <>
          {run.command === "pause" ? <Resume cluster={cluster} run={run} label="Undo pause" takeBack={action} /> : null}
          {run.command === "cancel" || isOtherEngineAtWork(run) ? null : (
            <CommandButton
              command={pauseRewrite(cluster, run.crd, run.id)}
              action={action}
              label="Pause"
              pressedLabel="Pausing…"
              pressed={run.command === "pause"}
              refusedTitle="Couldn't pause the rewrite"
              title="Finishes the objects in flight, then waits until you resume"
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
        refusedTitle="Couldn't cancel the rewrite"
        title={
          isOtherEngineAtWork(run)
            ? "Stops watching. The cluster's own engine can't be stopped and keeps running"
            : "Stops after the objects in flight; rewritten objects stay rewritten"
        }
      />
    </div>
  );
}

interface ResumeProps {
  cluster: string;
  run: Run;
  label: "Resume" | "Undo pause";
  takeBack?: GuardedAction | undefined;
  primary?: boolean;
}

function Resume({ cluster, run, label, takeBack, primary = false }: ResumeProps) {
  return (
    <CommandButton
      command={resumeRewrite(cluster, run.crd, run.id)}
      action={label === "Resume" ? "rewrite" : takeBack}
      label={label}
      pressedLabel={label === "Resume" ? "Resuming…" : "Undoing…"}
      refusedTitle="Couldn't resume the rewrite"
      onRefusal={(error, close) => <AcceptAndResume cluster={cluster} run={run} error={error} onResumed={close} />}
      primary={primary}
    />
  );
}

/** What a later dry run found or couldn't tell, and that keeps a run from resuming, with the checkboxes that accept it. */
function AcceptAndResume(props: { cluster: string; run: Run; error: Error; onResumed: () => void }) {
  const { cluster, run, onResumed } = props;
  const [acceptLosses, setAcceptLosses] = useState(false);
  const [acceptUnseen, setAcceptUnseen] = useState(false);
  const { mutate, isPending, error } = useChange(acceptAndResumeRewrite(cluster, run.crd, run.id));
  // The second refusal names what is still not accepted.
  const refused = refusedLosses(error) ?? refusedLosses(props.error);
  if (!refused) return null;
  const { losses, moreLosses, sample, unknownBecause, dryRun } = refused;
  const isListed = losses.length > 0 || moreLosses > 0;
  return (
    <>
      {isListed ? (
        <>
          <LossList label="What the rewrite would change" losses={losses} more={moreLosses} sample={sample} />
          {moreLosses > 0 && dryRun !== null ? (
            <Link
              href={dryRunHref(cluster, run.crd, dryRun)}
              prefetch={false}
              className="self-start text-sm text-ink underline underline-offset-2"
            >
              View the dry run
            </Link>
          ) : null}
          <ChoiceField type="checkbox" label="I accept these losses" checked={acceptLosses} onChange={setAcceptLosses}>
            You can't undo this. Your name, the time and this list become part of the proof.
          </ChoiceField>
        </>
      ) : null}
      {unknownBecause === null ? null : (
        <AcceptUnseen
          without={isListed && run.delegation === null ? "checks-each" : "held-back"}
          checked={acceptUnseen}
          onChange={setAcceptUnseen}
        />
      )}
      {error ? <ApiErrorNotice error={error} /> : null}
      <Button
        weight="primary"
        className="self-end"
        disabled={!(isListed ? acceptLosses : acceptUnseen) || isPending}
        onClick={() => mutate({ acceptLosses, acceptUnseen, ...(dryRun !== null && { dryRun }) }, { onSuccess: onResumed })}
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
  /** The label from the click until the command is in force. */
  pressedLabel: string;
  /** The title of the error dialog. */
  refusedTitle: string;
  title?: string;
  primary?: boolean;
  /** What the user can do about a refusal, shown below it. */
  onRefusal?: (error: Error, close: () => void) => ReactNode;
  /** Sent by any user, and not in force yet. */
  pressed?: boolean;
}

/** A command to a run; shows as pending until it is in force. */
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

/** The permission that a command to this run needs; undefined for the user who started it, who needs none. */
export function useControlAction({ startedBy }: Pick<Run, "startedBy">): GuardedAction | undefined {
  const user = useSession()?.user ?? null;
  return user === null || user === startedBy ? undefined : "control";
}
