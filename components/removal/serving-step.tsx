import { patchCommand } from "#components/shared/kubectl.ts";
import { ChangeVersionButton } from "#components/version-flags/change-version-button.tsx";
import { ServeAgainButton } from "#components/version-flags/serve-again-button.tsx";
import { StepCommand } from "./step-command.tsx";
import { type StepProps, stepAnchor } from "./step-frame.tsx";
import { StepRefusal } from "./step-refusal.tsx";
import { StepUndo } from "./step-undo.tsx";

/** Step 2: stop serving the version. Clients that still use it fail; one click undoes it. */
export function ServingStep(props: StepProps) {
  const { cluster, crd, version, step } = props;
  const flags = crd.versions.find(({ name }) => name === version);
  if (!flags) return <p className="text-ink-soft">It is no longer in spec.versions.</p>;
  if (!flags.served) {
    return (
      <>
        <p className="max-w-3xl text-ink-soft">
          Give infrequent clients time to fail. If one does, serve {version} again: every watch closes once more, and no object changes.
        </p>
        <StepUndo step={step}>
          {(isRefused) => <ServeAgainButton cluster={cluster} crd={crd.name} version={version} disabled={isRefused} />}
        </StepUndo>
      </>
    );
  }
  const mayBeStored = crd.leftoverVersions.includes(version);
  return (
    <>
      <p className="max-w-3xl text-ink-soft">
        Requests at {version} then get a 404, and every watch on {crd.plural} closes, at all versions. Any proof becomes void; a prune
        stays. One click serves it again.
      </p>
      {mayBeStored ? (
        <p className="max-w-3xl text-ink-soft">
          Objects may still be stored as {version}, and what a rewrite would lose is visible only while {version} is served.{" "}
          <a href={`#${stepAnchor("storage")}`} className="text-ink underline underline-offset-2">
            Do step 3 first
          </a>
          , unless you have reviewed the losses.
        </p>
      ) : (
        <p className="max-w-3xl text-ink-soft">
          If managedFields still name {version},{" "}
          <a href={`#${stepAnchor("spec")}`} className="text-ink underline underline-offset-2">
            clean them in step 4
          </a>{" "}
          first: what cleaning would lose is visible only while {version} is served.
        </p>
      )}
      <StepRefusal {...props} />
      <div>
        <ChangeVersionButton
          {...{ cluster, crd }}
          version={flags}
          intent="stop-serving"
          primary={!mayBeStored}
          disabled={step.state === "refused"}
        />
      </div>
      <StepCommand {...props} command={(kubectl) => patchCommand(kubectl, crd.name, step.patch)} />
    </>
  );
}
