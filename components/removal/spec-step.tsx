"use client";

import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useRef, useState } from "react";
import { ChangeButton, OneClickButton } from "#components/shared/change-button.tsx";
import { patchCommand } from "#components/shared/kubectl.ts";
import { KubectlBlock } from "#components/shared/kubectl-block.tsx";
import { TypedConfirmation } from "#components/shared/typed-confirmation.tsx";
import { useTold } from "#components/shared/use-told.ts";
import { DialogFrame, stayWhileBusy } from "#components/ui/dialog.tsx";
import { ChoiceField } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { shellQuoted } from "#lib/domain/wording/shell-quoted.ts";
import { ApiError } from "#lib/queries/api-client.ts";
import { versionPath } from "#lib/queries/api-paths.ts";
import { putBackVersion, removeVersion } from "#lib/queries/definition/definition-mutations.ts";
import { useChange } from "#lib/queries/session/use-change.ts";
import { ManagerEvidence } from "./manager-evidence.tsx";
import { StepCommand } from "./step-command.tsx";
import type { StepProps } from "./step-frame.tsx";
import { StepRefusal } from "./step-refusal.tsx";
import { StepUndo } from "./step-undo.tsx";

/** Step 4: remove the version from the spec; the definition keeps its YAML, schema included, for the undo. */
export function SpecStep(props: StepProps) {
  const { cluster, crd, version, step } = props;
  if (step.state === "done") {
    return (
      <>
        <p className="max-w-3xl text-ink-soft">
          The definition keeps {version}, schema included. If you put it back, it is not served and no object is stored as {version}.
        </p>
        <ManagerEvidence cluster={cluster} crd={crd} version={version} />
        <StepUndo step={step}>
          {(isRefused) => (
            <OneClickButton
              mutation={putBackVersion(cluster, crd.name, version)}
              variables={null}
              action="change-spec"
              label={`Put ${version} back`}
              disabled={isRefused}
              pendingLabel="Putting back…"
              failure={`Couldn't put ${version} back`}
            />
          )}
        </StepUndo>
      </>
    );
  }
  return (
    <>
      <p className="max-w-3xl text-ink-soft">
        The API server then no longer knows {version}. For objects whose managedFields still name it, server-side apply fails, and up to
        Kubernetes 1.36 any other write empties their managedFields. Clean them first.
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
        difference={`Unlike the button, the command keeps no copy: save ${version} first.`}
      />
    </>
  );
}

/** A copy of the version's entry in spec.versions, which is what an undo needs. */
function SavedYaml({ cluster, crd, version }: { cluster: string; crd: CrdDetail; version: string }) {
  const filter = `jsonpath={.spec.versions[?(@.name=="${version}")]}`;
  const command = (kubectl: string) => `${kubectl} get customresourcedefinition ${shellQuoted(crd.name)} -o ${shellQuoted(filter)}`;
  return (
    <section aria-label="Backup" className="flex max-w-3xl flex-col items-start gap-2">
      <h3 className="text-sm font-medium">Backup</h3>
      <p className="text-ink-soft">
        crdshift keeps removed versions in an annotation of the definition, up to 64 KiB compressed. A file is safer:{" "}
        <a
          href={`${versionPath(cluster, crd.name, version)}/manifest`}
          download={`${crd.name}-${version}.yaml`}
          className="text-ink underline underline-offset-2"
        >
          Save {version} as YAML
        </a>
        , or with kubectl:
      </p>
      <div className="w-full">
        <KubectlBlock command={command} copyLabel="Copy the save command" />
      </div>
    </section>
  );
}

interface Props {
  cluster: string;
  crd: CrdDetail;
  version: string;
  disabled: boolean;
}

/** The button that removes a version from the spec, with a dialog that asks for its name first. */
function RemoveVersionDialog({ cluster, crd, version, disabled }: Props) {
  // The generation when the dialog opened: the user decides on what they saw.
  const [seen, setSeen] = useState<number | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const { mutate, isPending, error, reset } = useChange(removeVersion(cluster, crd.name, version));
  const [isAccepted, setAccepted] = useState(false);
  const told = useTold();
  const clean = crd.removals.find((one) => one.version === version)?.clean ?? null;
  const named = error instanceof ApiError && error.details?.managedFields !== undefined ? error : null;
  const change = (open: boolean) => {
    setSeen(open ? crd.generation : null);
    setAccepted(false);
    reset();
  };
  const remove = () => {
    const removal = { confirm: version, ...(isAccepted && { acceptManagedFields: true as const }) };
    if (seen !== null) mutate({ ...removal, expectedGeneration: seen }, { onSuccess: () => setSeen(null) });
  };
  return (
    <AlertDialog.Root open={seen !== null} onOpenChange={stayWhileBusy(isPending, change)}>
      <AlertDialog.Trigger disabled={disabled} render={<ChangeButton action="change-spec" weight="primary" />}>
        Remove {version}
      </AlertDialog.Trigger>
      <DialogFrame
        title={
          <>
            Remove <span className="font-mono">{version}</span> from spec.versions?
          </>
        }
        initialFocus={input}
      >
        <AlertDialog.Description render={<div />} className="flex flex-col gap-2 text-ink-soft">
          <p>
            The API server no longer recognizes {version} of {crd.plural}. No object changes. Every watch on {crd.plural} closes, at all
            versions, and any proof becomes void.
          </p>
          <p>
            You can put it back while the annotation that keeps it exists, which holds 64 KiB, compressed, for all removed versions.
            Otherwise you need its YAML.
          </p>
        </AlertDialog.Description>
        {named ? (
          <Notice tone="warning" role="alert" title={named.message}>
            <p>
              {clean ? `${told(clean.nextStep)} Then clean` : "Close this dialog and clean"} the entries for {version}
              {clean ? "" : " first"}, under “Managers at {version}” in step 4.
            </p>
          </Notice>
        ) : null}
        {named || isAccepted ? (
          <ChoiceField type="checkbox" label="Remove anyway" checked={isAccepted} onChange={setAccepted}>
            Until you clean their entries, server-side apply fails for these objects, and up to Kubernetes 1.36 any other write to one
            empties its managedFields.
          </ChoiceField>
        ) : null}
        <TypedConfirmation
          isPending={isPending}
          error={named ? null : error}
          name={version}
          whose="the version's name"
          label={`Remove ${version}`}
          pendingLabel="Removing…"
          inputRef={input}
          onConfirm={remove}
        />
      </DialogFrame>
    </AlertDialog.Root>
  );
}
