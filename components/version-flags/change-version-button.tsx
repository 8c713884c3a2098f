"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useState } from "react";
import { buttonClass } from "#components/ui/button.tsx";
import { dialogBackdropClass, dialogPopupClass } from "#components/ui/dialog-class.ts";
import type { CrdDetail, CrdVersion } from "#lib/contract/crd.ts";
import { ChangeVersionForm } from "./change-version-form.tsx";

/** The button that opens a version's flags, to be changed after a look at what that causes. */
export function ChangeVersionButton({ cluster, crd, version }: { cluster: string; crd: CrdDetail; version: CrdVersion }) {
  const [open, setOpen] = useState(false);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger className={buttonClass("quiet")} aria-label={`Change ${version.name}`}>
        Change
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialogBackdropClass} />
        <Dialog.Popup className={dialogPopupClass}>
          <Dialog.Title className="text-base font-semibold [overflow-wrap:anywhere]">
            Change <span className="font-mono">{version.name}</span> of {crd.plural}
          </Dialog.Title>
          <ChangeVersionForm cluster={cluster} crd={crd} version={version} onDone={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
