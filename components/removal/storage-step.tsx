import { StateMark } from "#components/crd/state-mark.tsx";
import { pruneCommand, rewriteCommand } from "#components/definition/kubectl-commands.ts";
import { RestoreButton } from "#components/definition/restore-button.tsx";
import { StepCommand } from "./step-command.tsx";
import type { StepProps } from "./step-props.ts";
import { StepRefusal } from "./step-refusal.tsx";
import { StorageActions } from "./storage-actions.tsx";

/** Step 3: no object is stored as the version any more, proven by a rewrite, and storedVersions says so. */
export function StorageStep(props: StepProps) {
  const { cluster, crd, version, step } = props;
  if (step.state === "done") {
    const canUndo = crd.lastPrune?.versions.includes(version) && crd.versions.some(({ name }) => name === version);
    return (
      <>
        <p className="max-w-3xl text-ink-soft">
          {crd.lastPrune?.versions.includes(version)
            ? "It was pruned after a rewrite that proved it."
            : "The definition does not list it, and nothing is known that contradicts that."}
        </p>
        {canUndo ? (
          <div>
            <RestoreButton cluster={cluster} crd={crd} primary={false} describedBy={undefined} />
          </div>
        ) : null}
      </>
    );
  }
  const isServed = crd.versions.some(({ name, served }) => name === version && served);
  return (
    <>
      <div className="flex max-w-3xl flex-col items-start gap-1">
        <StateMark state={crd.state} />
        <p dir="auto" className="[overflow-wrap:anywhere]">
          {crd.stateReason}
        </p>
      </div>
      {step.action === "rewrite" && !isServed ? (
        <p className="max-w-3xl text-ink-soft">
          {version} is not served, so what a rewrite loses of objects stored as it can't be seen, and has to be accepted unseen. Served
          again, it can be looked at first.
        </p>
      ) : null}
      <StepRefusal {...props} />
      <StorageActions {...props} />
      <StorageCommand {...props} />
    </>
  );
}

function StorageCommand(props: StepProps) {
  const { crd, step } = props;
  switch (step.action) {
    case "rewrite":
      return <StepCommand {...props} command={(kubectl) => rewriteCommand(kubectl, crd)} />;
    case "prune":
      return <StepCommand {...props} command={(kubectl) => pruneCommand(kubectl, crd)} />;
    default:
      return null;
  }
}
