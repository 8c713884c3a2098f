import type { ReactNode } from "react";
import { Notice } from "#components/ui/notice.tsx";
import { currentRemovalStep } from "#lib/domain/removal.ts";
import { ClientsStep } from "./clients-step.tsx";
import { ConversionStep } from "./conversion-step.tsx";
import { ServingStep } from "./serving-step.tsx";
import { SpecStep } from "./spec-step.tsx";
import { StepFrame } from "./step-frame.tsx";
import type { StepProps } from "./step-props.ts";
import { StorageStep } from "./storage-step.tsx";
import { UnknownVersion } from "./unknown-version.tsx";

/** The five steps in a column, the current one open. */
export function RemovalSteps({ cluster, crd, version }: Omit<StepProps, "step">) {
  const removal = crd.removals.find((one) => one.version === version);
  if (!removal) return <UnknownVersion cluster={cluster} crd={crd} version={version} />;
  const current = currentRemovalStep(removal.steps);
  return (
    <>
      <p role="status" className="max-w-3xl pt-1 pb-4 text-ink-soft [overflow-wrap:anywhere]">
        {current === null ? (
          <>Done: nothing of {version} is left in the definition. Whether objects’ managedFields still name it can be counted in step 4.</>
        ) : (
          <>
            The documented procedure, a step at a time. Nothing is done before you press a button; you can leave and come back to this
            address at any time.
          </>
        )}
      </p>
      {crd.versions.length === 1 && crd.versions[0]?.name === version ? (
        <div className="pb-4">
          <Notice tone="warning" title={`${version} is the only version`}>
            <p>A definition has at least one. Add another version in its source, or delete the definition with its objects.</p>
          </Notice>
        </div>
      ) : null}
      {crd.owner ? (
        <div className="pb-4">
          <Notice tone="warning" title={`${crd.owner} owns this definition`}>
            <p>It may take changes that are made here back. Make them in its source as well; each step shows what to change.</p>
          </Notice>
        </div>
      ) : null}
      <ol aria-label="Steps" className="flex flex-col border-b border-line">
        {removal.steps.map((step, index) => (
          <StepFrame key={step.name} {...{ cluster, crd, version, step }} number={index + 1} isCurrent={step.name === current}>
            {contentOf({ cluster, crd, version, step })}
          </StepFrame>
        ))}
      </ol>
    </>
  );
}

function contentOf(props: StepProps): ReactNode {
  switch (props.step.name) {
    case "clients":
      return <ClientsStep {...props} />;
    case "serving":
      return <ServingStep {...props} />;
    case "storage":
      return <StorageStep {...props} />;
    case "spec":
      return <SpecStep {...props} />;
    case "conversion":
      return <ConversionStep {...props} />;
    default:
      return props.step.name satisfies never;
  }
}
