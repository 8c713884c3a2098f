"use client";

import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useRef, useState } from "react";
import { DialogFrame, stayWhileBusy } from "#components/ui/dialog.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { proofSentence } from "#lib/domain/audit/proof-standing.ts";
import { relistableVersions } from "#lib/domain/record/relistable-versions.ts";
import { pruneStoredVersions, relistStoredVersions } from "#lib/queries/definition/definition-mutations.ts";
import { useChange } from "#lib/queries/session/use-change.ts";
import { ChangeButton, OneClickButton } from "./change-button.tsx";
import { TypedConfirmation } from "./typed-confirmation.tsx";
import { nameVersions } from "./version-badge.tsx";

/** The prune button, shown while there is something to prune, with a dialog that asks for the definition's name first. */
export function PruneDialog(props: { cluster: string; crd: CrdDetail; primary: boolean; describedBy: string | undefined }) {
  const { cluster, crd, primary, describedBy } = props;
  const [open, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  // The closing dialog keeps naming the versions that it pruned, which have left the definition.
  const [leftovers, setLeftovers] = useState(crd.leftoverVersions);
  const label = pruneLabel(open ? leftovers : crd.leftoverVersions);
  const { mutate, isPending, error, reset } = useChange(pruneStoredVersions(cluster, crd.name, label));

  const change = (next: boolean) => {
    setOpen(next);
    if (!next) return;
    setLeftovers(crd.leftoverVersions);
    reset();
  };

  // Pruning the last leftover version removes the button, and focus would be lost.
  const keepFocus = (isOpen: boolean) => {
    if (!isOpen && crd.leftoverVersions.length === 0) document.getElementById("main")?.focus();
  };

  return (
    <AlertDialog.Root open={open} onOpenChange={stayWhileBusy(isPending, change)} onOpenChangeComplete={keepFocus}>
      {crd.leftoverVersions.length > 0 ? (
        <AlertDialog.Trigger
          disabled={crd.actions.prune.refusal !== null}
          aria-describedby={describedBy}
          render={<ChangeButton action="prune" weight={primary ? "primary" : "quiet"} />}
        >
          {label}
        </AlertDialog.Trigger>
      ) : null}
      <DialogFrame title={`${label}?`} initialFocus={input}>
        <AlertDialog.Description render={<div />} className="text-ink-soft">
          <PrunePlan crd={crd} leftovers={leftovers} />
        </AlertDialog.Description>
        <TypedConfirmation
          {...{ label, isPending, error }}
          name={crd.name}
          whose="the definition's name"
          pendingLabel="Pruning…"
          inputRef={input}
          onConfirm={() => mutate(crd.name, { onSuccess: () => setOpen(false) })}
        />
      </DialogFrame>
    </AlertDialog.Root>
  );
}

/** The label of the prune button: the verb and what it removes. */
function pruneLabel(leftovers: readonly string[]): string {
  return leftovers.length === 1 ? `Prune ${leftovers[0]}` : `Prune ${leftovers.length} versions`;
}

/** The exact change of a prune, the proof behind it, and its undo. */
export function PrunePlan({ crd, leftovers }: { crd: CrdDetail; leftovers: readonly string[] }) {
  const names = nameVersions(leftovers);
  return (
    <div className="flex flex-col gap-3">
      <p className="max-h-40 overflow-y-auto rounded border border-line bg-sunken px-3 py-2 font-mono text-xs leading-5 [overflow-wrap:anywhere] text-ink">
        status.storedVersions: {JSON.stringify(crd.storedVersions)} → {JSON.stringify([crd.storageVersion])}
      </p>
      <dl className="flex flex-col gap-2">
        <div>
          <dt className="font-medium text-ink">Effect</dt>
          <dd className="[overflow-wrap:anywhere]">
            {crd.proof ? `${proofSentence(crd.proof)} ` : ""}
            The API server then accepts a spec without {names}. No object changes.
          </dd>
        </div>
        <div>
          <dt className="font-medium text-ink">Undo</dt>
          <dd className="[overflow-wrap:anywhere]">
            “Undo prune” works while {names} {leftovers.length === 1 ? "is" : "are"} still in spec.versions, and no longer once{" "}
            {leftovers.length === 1 ? "it is" : "they are"} removed from there.
          </dd>
        </div>
      </dl>
    </div>
  );
}

/** Undoes the last prune, or repairs storedVersions if it lacks versions that objects are or may be stored in. */
export function UndoPruneButton(props: { cluster: string; crd: CrdDetail; primary: boolean; describedBy: string | undefined }) {
  const { cluster, crd, primary, describedBy } = props;
  const isMissing = crd.missingStoredVersions.length > 0;
  const versions = relistableVersions(isMissing ? crd.missingStoredVersions : (crd.lastPrune?.versions ?? []), crd);
  const names = versions.join(", ");
  const label = isMissing ? "Repair storedVersions" : "Undo prune";
  return (
    <OneClickButton
      mutation={relistStoredVersions(cluster, crd.name, label)}
      variables={versions}
      action="prune"
      label={label}
      pendingLabel={isMissing ? "Repairing…" : "Undoing…"}
      failure={isMissing ? "Couldn't repair storedVersions" : "Couldn't undo the prune"}
      weight={primary ? "primary" : "quiet"}
      disabled={crd.actions.restore.refusal !== null}
      describedBy={describedBy}
      hint={`Adds ${names} to status.storedVersions again`}
    />
  );
}
