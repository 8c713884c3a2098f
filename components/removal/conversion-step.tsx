import { DropConversionButton } from "#components/conversion/drop-conversion-button.tsx";
import { PutBackWebhookButton } from "#components/conversion/put-back-webhook-button.tsx";
import { patchCommand } from "#components/shared/kubectl.ts";
import { shellQuoted } from "#lib/domain/wording/shell-quoted.ts";
import { StepCommand } from "./step-command.tsx";
import type { StepProps } from "./step-frame.tsx";
import { StepRefusal } from "./step-refusal.tsx";
import { StepUndo } from "./step-undo.tsx";

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
        <StepUndo step={step}>{(isRefused) => <PutBackWebhookButton cluster={cluster} crd={crd.name} disabled={isRefused} />}</StepUndo>
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
        command={(kubectl) => `${saveCommand(kubectl, crd.name)} &&\n${patchCommand(kubectl, crd.name, step.patch)}`}
        difference="Unlike the button, the command keeps no copy in the definition; its first line saves the configuration to a file."
      />
    </>
  );
}

function saveCommand(kubectl: string, crd: string): string {
  const file = shellQuoted(`${crd}-conversion.json`);
  return `${kubectl} get customresourcedefinition ${shellQuoted(crd)} -o ${shellQuoted("jsonpath={.spec.conversion}")} > ${file}`;
}
