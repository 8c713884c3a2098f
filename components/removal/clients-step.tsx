import { DryRunSummary } from "#components/dry-run/dry-run-summary.tsx";
import { StartDryRunButton } from "#components/dry-run/start-dry-run-button.tsx";
import { ChangeVersionButton } from "#components/version-flags/change-version-button.tsx";
import { patchCommand } from "#components/version-flags/patch-command.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { ManagerEvidence } from "./manager-evidence.tsx";
import { RequestEvidence } from "./request-evidence.tsx";
import { StepCommand } from "./step-command.tsx";
import type { StepProps } from "./step-props.ts";
import { StepRefusal } from "./step-refusal.tsx";

/** Step 1: who still uses the version, as far as that can be known, and a warning to those. */
export function ClientsStep(props: StepProps) {
  const { cluster, crd, version, step } = props;
  const flags = crd.versions.find(({ name }) => name === version);
  return (
    <>
      <p className="max-w-3xl text-ink-soft">
        Nothing in a cluster lists who reads a version. These are the traces that there are; a client that comes once a month leaves none of
        them today.
      </p>
      {flags?.served ? <RequestEvidence cluster={cluster} crd={crd} version={version} /> : null}
      <ManagerEvidence cluster={cluster} crd={crd} version={version} />
      {flags?.served ? <LossEvidence cluster={cluster} crd={crd} version={version} /> : null}
      <StepRefusal {...props} />
      {flags?.served ? (
        <div className="flex flex-wrap gap-2">
          {flags.deprecated ? (
            <ChangeVersionButton
              {...{ cluster, crd }}
              version={flags}
              label="Take the deprecation back"
              preset={{ deprecated: false }}
              disabled={step.undoRefusal !== null}
            />
          ) : (
            <ChangeVersionButton
              {...{ cluster, crd }}
              version={flags}
              label="Mark it deprecated"
              preset={{ deprecated: true }}
              primary
              disabled={step.state === "refused"}
            />
          )}
        </div>
      ) : null}
      {step.patch.length > 0 ? <StepCommand {...props} command={(kubectl) => patchCommand(kubectl, crd.name, step.patch)} /> : null}
    </>
  );
}

/** What a rewrite would lose of objects that are stored as the version, which shows only while it is served. */
function LossEvidence({ cluster, crd, version }: { cluster: string; crd: CrdDetail; version: string }) {
  if (!crd.leftoverVersions.includes(version)) return null;
  const canRewrite = crd.versions.some(({ storage, served }) => storage && served);
  return (
    <section aria-label="What would be lost" className="flex max-w-3xl flex-col items-start gap-2">
      <h3 className="text-sm font-medium">What a rewrite would lose</h3>
      <p className="text-ink-soft">
        Objects may be stored as {version}. What {crd.storageVersion} has no place for can be seen only while {version} is served: look now,
        or rewrite now, before it is not.
      </p>
      <DryRunSummary cluster={cluster} crd={crd} />
      <StartDryRunButton cluster={cluster} crd={crd.name} disabled={!canRewrite} />
    </section>
  );
}
