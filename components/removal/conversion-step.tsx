import { DropConversionButton } from "#components/conversion/drop-conversion-button.tsx";
import { quoted } from "#components/crd/kubectl/kubectl.ts";
import { OneClickButton } from "#components/crd/rights/one-click-button.tsx";
import { patchCommand } from "#components/version-flags/patch-command.ts";
import { putBackConversion } from "#lib/queries/definition/removal-mutations.ts";
import { StepCommand } from "./step-command.tsx";
import type { StepProps } from "./step-props.ts";
import { StepRefusal } from "./step-refusal.tsx";
import { UndoRefusal } from "./undo-refusal.tsx";

/** Step 5: with a single version nothing is converted, and its webhook is one thing less that can break. */
export function ConversionStep(props: StepProps) {
  const { cluster, crd, step } = props;
  if (step.state === "unneeded") {
    return (
      <p className="max-w-3xl text-ink-soft">
        {crd.conversion === "None"
          ? "Nothing is to be done here."
          : "The webhook converts between the versions that are left. It goes with the last but one of them."}
      </p>
    );
  }
  if (step.state === "done") {
    return (
      <>
        <p className="max-w-3xl text-ink-soft">
          The definition keeps the webhook's configuration as it was. What answered at {crd.droppedConversion?.target} can go once no other
          definition needs it.
        </p>
        <UndoRefusal {...props} />
        <div>
          <OneClickButton
            mutation={putBackConversion(cluster, crd.name)}
            variables={undefined}
            action="change-spec"
            label="Put the webhook back"
            disabled={step.undoRefusal !== null}
            pendingLabel="Putting back…"
            failure="The webhook was not put back"
          />
        </div>
      </>
    );
  }
  return (
    <>
      <p className="max-w-3xl text-ink-soft [overflow-wrap:anywhere]">
        The API server calls {crd.conversionTarget} to convert between versions. Dropping that sets conversion to None; no object is
        changed.
      </p>
      <StepRefusal {...props} />
      <div>
        <DropConversionButton cluster={cluster} crd={crd} primary disabled={step.state === "refused"} />
      </div>
      <StepCommand
        {...props}
        command={(kubectl) => `${saveCommand(kubectl, crd.name)}\n${patchCommand(kubectl, crd.name, step.patch)}`}
        difference="The command keeps nothing in the definition for the way back: its first line saves the configuration to a file."
      />
    </>
  );
}

function saveCommand(kubectl: string, crd: string): string {
  const file = quoted(`${crd}-conversion.json`);
  return `${kubectl} get customresourcedefinition ${quoted(crd)} -o ${quoted("jsonpath={.spec.conversion}")} > ${file}`;
}
