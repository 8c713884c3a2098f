"use client";

import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { buttonClass } from "./button.tsx";
import { dialogBackdropClass, dialogPopupClass } from "./menu-class.ts";

/** A dialog with a message and a Close button. */
export function MessageDialog(props: { title: string; open: boolean; onClose: () => void; children: ReactNode }) {
  return (
    <Dialog.Root open={props.open} onOpenChange={(open) => !open && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialogBackdropClass} />
        <Dialog.Popup className={dialogPopupClass}>
          <Dialog.Title className="text-base font-semibold">{props.title}</Dialog.Title>
          {props.children}
          <div className="flex justify-end">
            <Dialog.Close className={buttonClass("quiet")}>Close</Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
