"use client";

import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode, RefObject } from "react";
import { buttonClass } from "./form.tsx";

interface DialogFrameProps {
  title: ReactNode;
  /** Focused when the dialog opens; the first focusable element if omitted. */
  initialFocus?: RefObject<HTMLElement | null>;
  children: ReactNode;
}

/** What every dialog looks like, with its title. Also for an AlertDialog, whose parts are a Dialog's. */
export function DialogFrame({ title, initialFocus, children }: DialogFrameProps) {
  return (
    <Dialog.Portal>
      <Dialog.Backdrop className={dialogBackdropClass} />
      <Dialog.Popup initialFocus={initialFocus} className={dialogPopupClass}>
        <Dialog.Title className="text-base font-semibold [overflow-wrap:anywhere]">{title}</Dialog.Title>
        {children}
      </Dialog.Popup>
    </Dialog.Portal>
  );
}

/** A dialog with a message and a Close button. */
export function MessageDialog(props: { title: string; open: boolean; onClose: () => void; children: ReactNode }) {
  return (
    <Dialog.Root open={props.open} onOpenChange={(open) => !open && props.onClose()}>
      <DialogFrame title={props.title}>
        {props.children}
        <div className="flex justify-end">
          <Dialog.Close className={buttonClass("quiet")}>Close</Dialog.Close>
        </div>
      </DialogFrame>
    </Dialog.Root>
  );
}

const ACCIDENTAL = ["escape-key", "outside-press"];

/**
 * For a dialog's onOpenChange: while its request is pending, neither a click outside nor Escape closes it, since the dialog shows the
 * outcome. Its close button always works.
 */
export function stayWhileBusy(isBusy: boolean, change: (open: boolean) => void) {
  return (open: boolean, details: { reason: string; cancel: () => void }) => {
    if (!open && isBusy && ACCIDENTAL.includes(details.reason)) details.cancel();
    else change(open);
  };
}

export const dialogBackdropClass = "fixed inset-0 z-40 min-h-dvh bg-black/30 dark:bg-black/60";

export const dialogPopupClass =
  "fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] w-[36rem] max-w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col gap-4 overflow-y-auto rounded-md border border-line-strong/60 bg-raised p-5 shadow-xl shadow-black/20 outline-none dark:shadow-black/60";
