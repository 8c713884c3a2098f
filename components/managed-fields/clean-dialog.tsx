"use client";

import { Dialog } from "@base-ui/react/dialog";
import { dialogBackdropClass, dialogPopupClass } from "#components/ui/menu-class.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { CleanSteps } from "./clean-steps.tsx";

interface Props {
  cluster: string;
  crd: CrdDetail;
  /** The version whose entries are carried over; null while the dialog is closed. */
  version: string | null;
  onClose: () => void;
}

/** Shows what carrying a version's entries over would change, and then does it. */
export function CleanDialog({ cluster, crd, version, onClose }: Props) {
  // With its last entry the version's row goes, and the button that had the focus.
  const keepFocus = (open: boolean) => {
    if (!open && document.activeElement === document.body) document.getElementById("main")?.focus();
  };
  return (
    // What is at work ends with the dialog: a click beside it must not be enough.
    <Dialog.Root
      open={version !== null}
      onOpenChange={(open) => !open && onClose()}
      onOpenChangeComplete={keepFocus}
      disablePointerDismissal
    >
      <Dialog.Portal>
        <Dialog.Backdrop className={dialogBackdropClass} />
        <Dialog.Popup className={dialogPopupClass}>
          <Dialog.Title className="text-base font-semibold [overflow-wrap:anywhere]">
            Carry managedFields of <span className="font-mono">{version}</span> over to{" "}
            <span className="font-mono">{crd.storageVersion}</span>
          </Dialog.Title>
          <Dialog.Description className="text-ink-soft">
            The entries keep their managers and fields and name {crd.storageVersion} instead. Each object is patched only if nobody has
            written it since it was read; one that would lose fields by being stored anew is left alone.
          </Dialog.Description>
          {version === null ? null : <CleanSteps cluster={cluster} crd={crd.name} version={version} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
