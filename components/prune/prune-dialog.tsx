"use client";

import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useRef, useState } from "react";
import { ChangeButton } from "#components/crd/rights/change-button.tsx";
import { TypedConfirmation } from "#components/crd/typed-confirmation.tsx";
import { dialogBackdropClass, dialogPopupClass, stayWhileBusy } from "#components/ui/overlay/dialog.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { pruneStoredVersions } from "#lib/queries/definition/definition-mutations.ts";
import { useChange } from "#lib/queries/session/use-change.ts";
import { PrunePlan } from "./prune-plan.tsx";

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
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={dialogBackdropClass} />
        <AlertDialog.Popup initialFocus={input} className={dialogPopupClass}>
          <AlertDialog.Title className="text-base font-semibold">{label}?</AlertDialog.Title>
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
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

/** The label of the prune button: the verb and what it removes. */
function pruneLabel(leftovers: readonly string[]): string {
  return leftovers.length === 1 ? `Prune ${leftovers[0]}` : `Prune ${leftovers.length} versions`;
}
