"use client";

import { Dialog } from "@base-ui/react/dialog";
import { dialogBackdropClass, dialogPopupClass } from "#components/ui/menu-class.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { CleanSteps } from "./clean-steps.tsx";

interface Props {
  cluster: string;
  crd: CrdDetail;
  /** The version whose entries to carry over; null while the dialog is closed. */
  version: string | null;
  onClose: () => void;
}

/** Previews carrying over a version's entries, then does it. */
export function CleanDialog({ cluster, crd, version, onClose }: Props) {
  // The version's row disappears with its last entry, and with it the focused button.
  const keepFocus = (open: boolean) => {
    if (!open && document.activeElement === document.body) document.getElementById("main")?.focus();
  };
  return (
    // Closing the dialog stops the work, so a click outside must not close it.
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
            Carry over managedFields from <span className="font-mono">{version}</span> to{" "}
            <span className="font-mono">{crd.storageVersion}</span>
          </Dialog.Title>
          <Dialog.Description className="text-ink-soft">
            The entries keep their managers and fields but name {crd.storageVersion} instead. An object is skipped if it has changed since
            it was read, or if storing it again would lose fields.
          </Dialog.Description>
          {version === null ? null : <CleanSteps cluster={cluster} crd={crd.name} version={version} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
