"use client";

import { Dialog } from "@base-ui/react/dialog";
import { Tooltip } from "@base-ui/react/tooltip";
import { clsx } from "clsx";
import type { ReactNode } from "react";
import { buttonClass } from "./form.tsx";

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

const handle = Tooltip.createHandle<ReactNode>();

/** An explanation on hover and focus. The same information must also be available elsewhere. */
export function Hint({ text, className, label, children }: { text: ReactNode; className?: string; label?: string; children: ReactNode }) {
  return (
    <Tooltip.Trigger
      handle={handle}
      payload={text}
      delay={250}
      closeOnClick={false}
      aria-label={label}
      className={clsx("cursor-default text-left", className)}
    >
      {children}
    </Tooltip.Trigger>
  );
}

/** Where hints appear; once per page. */
export function HintLayer() {
  return (
    <Tooltip.Root handle={handle}>
      {({ payload }) => (
        // Inside a landmark, since all content belongs to one.
        <Tooltip.Portal container={typeof document === "undefined" ? undefined : document.getElementById("main")}>
          <Tooltip.Positioner sideOffset={6} collisionPadding={8} className="z-50">
            <Tooltip.Popup className="max-w-96 rounded border border-line-strong bg-raised px-2.5 py-1.5 text-xs text-ink shadow-md shadow-black/10 dark:shadow-black/50">
              {payload}
            </Tooltip.Popup>
          </Tooltip.Positioner>
        </Tooltip.Portal>
      )}
    </Tooltip.Root>
  );
}

export const menuPopupClass =
  "max-h-(--available-height) min-w-40 overflow-y-auto rounded border border-line-strong/60 bg-raised py-1 text-sm shadow-lg shadow-black/10 outline-none dark:shadow-black/50";

export const menuItemClass =
  "flex min-h-8 cursor-default items-center gap-2 px-2.5 py-1 outline-none select-none data-highlighted:bg-line/60";

/** The label of a group of items. */
export const menuLabelClass = "px-2.5 pt-1 pb-0.5 text-xs text-ink-soft";
