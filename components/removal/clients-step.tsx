import { NewestDryRun } from "#components/dry-run/newest-dry-run.tsx";
import { StartDryRunButton } from "#components/dry-run/start-dry-run-button.tsx";
import { patchCommand } from "#components/shared/kubectl.ts";
import { ChangeVersionButton } from "#components/version-flags/change-version-button.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { ManagerEvidence } from "./manager-evidence.tsx";
import { RequestEvidence } from "./request-evidence.tsx";
import { StepCommand } from "./step-command.tsx";
import type { StepProps } from "./step-frame.tsx";
import { StepRefusal } from "./step-refusal.tsx";

/** Step 1: evidence of the clients that still use the version, and their deprecation warning. */
export function ClientsStep(props: StepProps) {
  const { cluster, crd, version, step } = props;
  const flags = crd.versions.find(({ name }) => name === version);
  return (
    <>
      <p className="max-w-3xl text-ink-soft">
        No cluster records who reads a version. This is the evidence it has; a client that runs once a month leaves none today.
      </p>
      {flags?.served ? <RequestEvidence cluster={cluster} crd={crd} version={version} /> : null}
      <ManagerEvidence cluster={cluster} crd={crd} version={version} />
      {flags?.served ? <LossEvidence cluster={cluster} crd={crd} version={version} /> : null}
      <StepRefusal {...props} />
      {flags?.served ? (
        <div className="flex flex-wrap gap-2">
          {flags.deprecated ? (
            <ChangeVersionButton {...{ cluster, crd }} version={flags} intent="undeprecate" disabled={step.undoRefusal !== null} />
          ) : (
            <ChangeVersionButton {...{ cluster, crd }} version={flags} intent="deprecate" primary disabled={step.state === "refused"} />
          )}
        </div>
      ) : null}
      {step.patch.length > 0 ? <StepCommand {...props} command={(kubectl) => patchCommand(kubectl, crd.name, step.patch)} /> : null}
    </>
  );
}

/** What a rewrite would lose from objects stored as the version; visible only while it is served. */
function LossEvidence({ cluster, crd, version }: { cluster: string; crd: CrdDetail; version: string }) {
  if (!crd.leftoverVersions.includes(version)) return null;
  const canRewrite = crd.versions.some(({ storage, served }) => storage && served);
  return (
    <section aria-label="Possible losses" className="flex max-w-3xl flex-col items-start gap-2">
      <h3 className="text-sm font-medium">Possible losses</h3>
      <p className="text-ink-soft">
        Objects may be stored as {version}. Fields that {crd.storageVersion} has no place for are visible only while {version} is served: do
        a dry run or a rewrite before you stop serving it.
      </p>
      <NewestDryRun cluster={cluster} crd={crd} />
      <StartDryRunButton cluster={cluster} crd={crd.name} disabled={!canRewrite} />
    </section>
  );
}
