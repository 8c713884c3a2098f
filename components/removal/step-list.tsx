"use client";

import { type FormEvent, type ReactNode, useId, useState } from "react";
import { definitionHref } from "#components/hrefs.ts";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { ChangeButton } from "#components/shared/change-button.tsx";
import { pruneCommand, rewriteCommand } from "#components/shared/kubectl.ts";
import { StateMark } from "#components/shared/marks.tsx";
import { UndoPruneButton } from "#components/shared/prune.tsx";
import { useCommands } from "#components/shared/use-told.ts";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { ButtonLink } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import { FlipWarning } from "#components/version-flags/flip-warning.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { currentRemovalStep } from "#lib/domain/removal/removal-steps.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { putBackVersion } from "#lib/queries/definition/definition-mutations.ts";
import { useChange } from "#lib/queries/session/use-change.ts";
import { ClientsStep } from "./clients-step.tsx";
import { ConversionStep } from "./conversion-step.tsx";
import { ServingStep } from "./serving-step.tsx";
import { SpecStep } from "./spec-step.tsx";
import { StepCommand } from "./step-command.tsx";
import { StepFrame, type StepProps } from "./step-frame.tsx";
import { StepRefusal } from "./step-refusal.tsx";
import { StorageActions } from "./storage-actions.tsx";

/** The five steps in a column, the current one open. */
export function StepList({ cluster, crd, version }: Omit<StepProps, "step">) {
  const removal = crd.removals.find((one) => one.version === version);
  if (!removal) return <UnknownVersion cluster={cluster} crd={crd} version={version} />;
  const current = currentRemovalStep(removal.steps);
  return (
    <>
      <p role="status" className="max-w-3xl pt-1 pb-4 text-ink-soft [overflow-wrap:anywhere]">
        {current === null ? (
          <>Done: {version} is gone from the definition. Step 4 can count the objects whose managedFields still name it.</>
        ) : (
          <>
            The procedure that Kubernetes documents, one step at a time. Nothing happens until you press a button, and you can leave and
            come back to this address at any time.
          </>
        )}
      </p>
      {crd.versions.length === 1 && crd.versions[0]?.name === version ? (
        <div className="pb-4">
          <Notice tone="warning" title={`${version} is the only version`}>
            <p>A definition needs at least one version. Add another in its source, or delete the definition and its objects.</p>
          </Notice>
        </div>
      ) : null}
      {crd.brokenApplies?.versions.includes(version) ? (
        <div className="pb-4">
          <Notice tone="blocked" title={crd.stateReason}>
            <p>Clean these entries in step 4.</p>
          </Notice>
        </div>
      ) : null}
      {crd.owner ? (
        <div className="pb-4">
          <Notice tone="warning" title={`${crd.owner} owns this definition`}>
            <p>It may revert changes you make here. Make them in its source too; each step shows what to change.</p>
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

/** Replaces the path for a version that the definition neither has nor keeps; the user can put it back from YAML. */
function TooManyVersions({ crd, version }: { crd: CrdDetail; version: string }) {
  return (
    <EmptyState title={`crdshift doesn't show how to remove ${version}`}>
      <p className="[overflow-wrap:anywhere]">
        The definition has {formatCountOf(crd.versions.length, "version")}, and crdshift shows the steps for the first {crd.removals.length}{" "}
        only. Remove {version} in the definition's source.
      </p>
    </EmptyState>
  );
}

function UnknownVersion({ cluster, crd, version }: { cluster: string; crd: CrdDetail; version: string }) {
  const [yaml, setYaml] = useState("");
  const id = useId();
  const { mutate, isPending, error } = useChange(putBackVersion(cluster, crd.name, version));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (yaml.trim()) mutate(yaml);
  };
  if (crd.versions.some(({ name }) => name === version)) return <TooManyVersions crd={crd} version={version} />;
  return (
    <EmptyState title={`${version} is not in spec.versions`}>
      <p className="[overflow-wrap:anywhere]">
        It never was, or it was removed and the definition keeps no copy. spec.versions has{" "}
        {crd.versions.map(({ name }) => name).join(", ")}.
      </p>
      <div>
        <ButtonLink href={definitionHref(cluster, crd.name)} prefetch={false}>
          Go to the definition
        </ButtonLink>
      </div>
      <details className="w-full">
        <summary className="text-sm text-ink-soft hover:text-ink">Put it back from YAML</summary>
        <form onSubmit={submit} className="flex flex-col items-start gap-3 pt-3">
          <label htmlFor={id} className="text-sm font-medium">
            The saved entry of spec.versions
          </label>
          <textarea
            id={id}
            value={yaml}
            onChange={(event) => setYaml(event.target.value)}
            rows={12}
            spellCheck={false}
            className="w-full rounded border border-line-strong bg-page px-2.5 py-2 font-mono text-xs"
          />
          {error ? <ApiErrorNotice error={error} /> : null}
          <ChangeButton type="submit" action="change-spec" disabled={!yaml.trim() || isPending}>
            {isPending ? "Putting back…" : `Put ${version} back`}
          </ChangeButton>
        </form>
      </details>
    </EmptyState>
  );
}

/** Step 3: a rewrite proves that no object is stored as the version, and a prune removes it from storedVersions. */
function StorageStep(props: StepProps) {
  const withCommands = useCommands();
  const { cluster, crd, version, step } = props;
  if (step.state === "done") {
    const canUndo = crd.lastPrune?.versions.includes(version) && crd.versions.some(({ name }) => name === version);
    return (
      <>
        <StorageEvidence crd={crd} version={version} />
        {canUndo ? (
          <div>
            <UndoPruneButton cluster={cluster} crd={crd} primary={false} describedBy={undefined} />
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
          {withCommands(crd.stateReason)}
        </p>
      </div>
      {step.action === "rewrite" && !isServed ? (
        <p className="max-w-3xl text-ink-soft">
          {version} is not served, so crdshift can't see what a rewrite would lose from objects stored as {version}, and you have to accept
          the losses unseen. To review them first, serve {version} again.
        </p>
      ) : null}
      <FlipWarning cluster={cluster} crd={crd} />
      <StepRefusal {...props} />
      <StorageActions {...props} />
      <StorageCommand {...props} />
    </>
  );
}

/** Why no object should be stored as the version. A prune's proof says nothing about what was stored after a change of the spec. */
export function StorageEvidence({ crd, version }: { crd: CrdDetail; version: string }) {
  const prune = crd.lastPrune?.versions.includes(version) ? crd.lastPrune : null;
  return (
    <p className="max-w-3xl text-ink-soft">
      {prune ? (
        <>
          Pruned <Time at={prune.prunedAt} dated />, after a rewrite proved that no object was stored as {version}.{" "}
        </>
      ) : (
        "status.storedVersions does not list it, and nothing contradicts that."
      )}
      {prune && crd.proof?.standing !== "valid"
        ? `Not proven. If ${version} may have been the storage version since, rewrite again.`
        : null}
    </p>
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
