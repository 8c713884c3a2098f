import { linkTo, NextStepLink } from "#components/definition/next-step-link.tsx";
import { StartDryRunButton } from "#components/dry-run/start-dry-run-button.tsx";
import { PruneDialog, UndoPruneButton } from "#components/shared/prune.tsx";
import { RewriteButton } from "#components/start-rewrite/rewrite-button.tsx";
import { ChangeVersionButton } from "#components/version-flags/change-version-button.tsx";
import { ServeAgainButton } from "#components/version-flags/serve-again-button.tsx";
import { nextStep } from "#lib/domain/definition/next-step.ts";
import type { StepProps } from "./step-frame.tsx";

/** The next action toward no object being stored as the version. */
export function StorageActions({ cluster, crd, version, step }: StepProps) {
  const next = nextStep(crd);
  if (next.step === "watch") {
    return (
      <div>
        <NextStepLink cluster={cluster} crd={crd.name} next={next} />
      </div>
    );
  }
  const isServed = crd.versions.some(({ name, served }) => name === version && served);
  switch (step.action) {
    case "flip":
      return (
        <div className="flex flex-wrap gap-2">
          {crd.versions
            .filter(({ name, served }) => served && name !== version)
            .map((other) => (
              <ChangeVersionButton key={other.name} {...{ cluster, crd }} version={other} intent="make-storage" />
            ))}
        </div>
      );
    case "restore":
      return (
        <div>
          <UndoPruneButton cluster={cluster} crd={crd} primary describedBy={undefined} />
        </div>
      );
    case "prune":
      return (
        <div>
          <PruneDialog cluster={cluster} crd={crd} primary describedBy={undefined} />
        </div>
      );
    case "rewrite":
      return (
        <div className="flex flex-wrap gap-2">
          {isServed ? null : (
            <ServeAgainButton
              cluster={cluster}
              crd={crd.name}
              version={version}
              hint="What a rewrite would lose is visible only while it is served"
            />
          )}
          <NextStepLink cluster={cluster} crd={crd.name} next={next} />
          <RewriteButton
            cluster={cluster}
            crd={crd}
            primary={linkTo(next) === null}
            chosen={crd.contradiction ? { verifyEveryObject: true } : {}}
          />
          <StartDryRunButton cluster={cluster} crd={crd.name} disabled={crd.actions.rewrite.refusal !== null} />
        </div>
      );
    default:
      return null;
  }
}
