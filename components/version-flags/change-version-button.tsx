"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useState } from "react";
import { ChangeButton } from "#components/crd/rights/change-button.tsx";
import { dialogBackdropClass, dialogPopupClass } from "#components/ui/menu-class.ts";
import { stayWhileBusy } from "#components/ui/stay-while-busy.ts";
import type { CrdDetail, CrdVersion } from "#lib/contract/definition/crd.ts";
import { changeVersion } from "#lib/queries/definition/version-queries.ts";
import { useChange } from "#lib/queries/session/use-change.ts";
import { ChangeVersionForm } from "./change-version-form.tsx";
import type { VersionFlags } from "./version-flags.ts";

interface Props {
  cluster: string;
  crd: CrdDetail;
  version: CrdVersion;
  /** The button's label; “Change” if omitted. */
  label?: string;
  /** Flags that are already changed when the dialog opens. */
  preset?: Partial<VersionFlags>;
  primary?: boolean;
  disabled?: boolean;
}

/** The button that opens a version's flags, with a preview of what a change causes. */
export function ChangeVersionButton({ cluster, crd, version, label, preset, primary = false, disabled = false }: Props) {
  const [open, setOpen] = useState(false);
  const submitLabel = `Change ${version.name}`;
  const send = useChange(changeVersion(cluster, crd.name, version.name, submitLabel));
  const openOrClose = (next: boolean) => {
    setOpen(next);
    if (next) send.reset();
  };
  return (
    <Dialog.Root open={open} onOpenChange={stayWhileBusy(send.isPending, openOrClose)}>
      <Dialog.Trigger
        disabled={disabled}
        render={<ChangeButton action="change-spec" weight={primary ? "primary" : "quiet"} />}
        aria-label={label ? undefined : submitLabel}
      >
        {label ?? "Change"}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialogBackdropClass} />
        <Dialog.Popup className={dialogPopupClass}>
          <Dialog.Title className="text-base font-semibold [overflow-wrap:anywhere]">
            Change <span className="font-mono">{version.name}</span> of {crd.plural}
          </Dialog.Title>
          <ChangeVersionForm {...{ cluster, crd, version, send, submitLabel }} {...(preset && { preset })} onDone={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
