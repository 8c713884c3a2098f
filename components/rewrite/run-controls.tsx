import type { ReactNode } from "react";
import type { Run } from "#lib/contract/run.ts";
import type { GuardedAction } from "#lib/domain/needed-rights.ts";
import { isDelegated, isLive } from "#lib/domain/rewrite.ts";
import { cancelRewrite, pauseRewrite, resumeRewrite } from "#lib/queries/rewrite-mutations.ts";
import { AcceptAndResume } from "./accept-and-resume.tsx";
import { CommandButton } from "./command-button.tsx";
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
