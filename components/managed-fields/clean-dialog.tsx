"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useId } from "react";
import { ChangeButton } from "#components/shared/change-button.tsx";
import { useTold } from "#components/shared/use-told.ts";
import { DialogFrame } from "#components/ui/dialog.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { CleanSteps } from "./clean-steps.tsx";

interface Props {
  cluster: string;
  crd: CrdDetail;
  /** The version whose entries to clean; null while the dialog is closed. */
  version: string | null;
  onClose: () => void;
}

/** Previews cleaning managedFields of a version's entries, then does it. */
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
      <DialogFrame
        title={
          <>
            Clean managedFields of <span className="font-mono">{version}</span>
          </>
        }
      >
        <Dialog.Description className="text-ink-soft">
          The entries for {version} then name {crd.storageVersion} instead. An object is skipped if storing it again would lose fields, or
          if a moved entry would no longer own its fields, because the versions name or group them differently.
          {crd.conversion === "Webhook"
            ? ` Once ${version} is gone, crdshift can't see which fields the webhook names differently; their managers stop owning them.`
            : null}
        </Dialog.Description>
        {version === null ? null : <CleanSteps cluster={cluster} crd={crd.name} version={version} />}
      </DialogFrame>
    </Dialog.Root>
  );
}

interface CleanButtonProps {
  crd: CrdDetail;
  version: string;
  disabled: boolean;
  onClick: () => void;
}

/** The button that cleans a version's entries, with the reason if it is too early for that. */
export function CleanButton({ crd, version, disabled, onClick }: CleanButtonProps) {
  const id = useId();
  const told = useTold();
  const refusal = crd.removals.find((one) => one.version === version)?.clean ?? null;
  return (
    <div className="flex flex-col items-start gap-1">
      <ChangeButton action="clean" disabled={disabled || refusal !== null} aria-describedby={refusal ? id : undefined} onClick={onClick}>
        Clean…<span className="sr-only"> entries for {version}</span>
      </ChangeButton>
      {refusal ? (
        <p id={id} className="text-xs text-ink-soft [overflow-wrap:anywhere]">
          {told(`${refusal.message} ${refusal.nextStep}`)}
        </p>
      ) : null}
    </div>
  );
}
