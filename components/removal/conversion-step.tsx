import { DropConversionButton } from "#components/conversion/drop-conversion-button.tsx";
import { OneClickButton } from "#components/crd/change-button.tsx";
import { patchCommand } from "#components/crd/kubectl.tsx";
import { shellQuoted } from "#lib/domain/wording/shell-quoted.ts";
import { putBackConversion } from "#lib/queries/definition/definition-mutations.ts";
import { StepCommand } from "./step-command.tsx";
import type { StepProps } from "./step-frame.tsx";
import { StepRefusal, UndoRefusal } from "./step-refusal.tsx";

/** Step 5: a single version needs no conversion, so its webhook can go before it breaks. */
export function ConversionStep(props: StepProps) {
  const { cluster, crd, step } = props;
  if (step.state === "unneeded") {
    return (
      <p className="max-w-3xl text-ink-soft">
        {crd.conversion === "None"
          ? "Nothing to do here."
          : "The webhook converts between the remaining versions. You can drop it once only one is left."}
      </p>
    );
  }
  if (step.state === "done") {
    return (
      <>
        <p className="max-w-3xl text-ink-soft">
          The definition keeps the webhook's configuration. You can shut down the server at {crd.droppedConversion?.target} once no other
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
            failure="Couldn't put the webhook back"
          />
        </div>
      </>
    );
  }
  return (
    <>
      <p className="max-w-3xl text-ink-soft [overflow-wrap:anywhere]">
        The API server calls {crd.conversionTarget} to convert between versions. Dropping it sets conversion to None; no object changes.
      </p>
      <StepRefusal {...props} />
      <div>
        <DropConversionButton cluster={cluster} crd={crd} primary disabled={step.state === "refused"} />
      </div>
      <StepCommand
        {...props}
        command={(kubectl) => `${saveCommand(kubectl, crd.name)}\n${patchCommand(kubectl, crd.name, step.patch)}`}
        difference="Unlike the button, the command keeps no copy in the definition; its first line saves the configuration to a file."
      />
    </>
  );
}

function saveCommand(kubectl: string, crd: string): string {
  const file = shellQuoted(`${crd}-conversion.json`);
  return `${kubectl} get customresourcedefinition ${shellQuoted(crd)} -o ${shellQuoted("jsonpath={.spec.conversion}")} > ${file}`;
}
