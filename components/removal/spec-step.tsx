import { OneClickButton } from "#components/crd/one-click-button.tsx";
import { patchCommand } from "#components/version-flags/patch-command.ts";
import { putBackVersion } from "#lib/queries/removal-mutations.ts";
import { ManagerEvidence } from "./manager-evidence.tsx";
import { RemoveVersionDialog } from "./remove-version-dialog.tsx";
import { SavedYaml } from "./saved-yaml.tsx";
import { StepCommand } from "./step-command.tsx";
import type { StepProps } from "./step-props.ts";
import { StepRefusal } from "./step-refusal.tsx";
import { UndoRefusal } from "./undo-refusal.tsx";

/** Step 4: the version leaves the spec; its YAML, schema and all, is kept for the way back. */
export function SpecStep(props: StepProps) {
  const { cluster, crd, version, step } = props;
  if (step.state === "done") {
    return (
      <>
        <p className="max-w-3xl text-ink-soft">
          The definition keeps {version} as it was, schema included. Put back, it is not served, and no object is stored as it.
        </p>
        <ManagerEvidence cluster={cluster} crd={crd} version={version} />
        <UndoRefusal {...props} />
        <div>
          <OneClickButton
            mutation={putBackVersion(cluster, crd.name, version)}
            variables={null}
            action="change-spec"
            label={`Put ${version} back`}
            disabled={step.undoRefusal !== null}
            pendingLabel="Putting back…"
            failure={`${version} was not put back`}
          />
        </div>
      </>
    );
  }
  return (
    <>
      <p className="max-w-3xl text-ink-soft">
        From then on the API server does not know {version}. Entries of managedFields that name it break server-side apply to their objects;
        carry them over first.
      </p>
      <ManagerEvidence cluster={cluster} crd={crd} version={version} />
      <SavedYaml cluster={cluster} crd={crd} version={version} />
      <StepRefusal {...props} />
      <div>
        <RemoveVersionDialog cluster={cluster} crd={crd} version={version} disabled={step.state === "refused"} />
      </div>
      <StepCommand
        {...props}
        command={(kubectl) => patchCommand(kubectl, crd.name, step.patch)}
        difference={`The command keeps nothing for the way back: save ${version} first.`}
      />
    </>
  );
}
