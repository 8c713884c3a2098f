"use client";

import { AlertDialog } from "@base-ui/react/alert-dialog";
import { usePathname } from "next/navigation";
import { type RefObject, useEffect, useRef, useState } from "react";
import { TypedConfirmation } from "#components/crd/typed-confirmation.tsx";
import { dialogBackdropClass, dialogPopupClass } from "#components/ui/dialog-class.ts";
import { type Protection, REASON_LENGTH, reasonSchema } from "#lib/contract/protection.ts";
import { ReasonField } from "./reason-field.tsx";

const PRESSES = ["pointerdown", "mousedown", "touchstart", "click"] as const;

export interface AskedProtection extends Protection {
  /** Null to leave it. */
  answer: (given: { reason: string } | null) => void;
}

/** Asks for the name of a protected definition, and for the reason to change it; above whatever else is open. */
export function ProtectionDialog({ pattern, crd, answer }: AskedProtection) {
  const [reason, setReason] = useState("");
  const reasonField = useRef<HTMLTextAreaElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  useAnswerOnEscape(answer);
  useKeepPressesIn(popup);
  useAnswerOnLeave(answer);
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && answer(null)}>
      {/* A dialog below has these very layers, without one of their own. */}
      <AlertDialog.Portal className="relative z-60">
        <AlertDialog.Backdrop className={dialogBackdropClass} />
        <AlertDialog.Popup ref={popup} initialFocus={reasonField} finalFocus={false} className={dialogPopupClass}>
          <AlertDialog.Title className="text-base font-semibold [overflow-wrap:anywhere]">{crd} is protected</AlertDialog.Title>
          <AlertDialog.Description className="text-ink-soft">
            Whoever runs this crdshift protects what matches <span className="font-mono [overflow-wrap:anywhere]">{pattern}</span>: it is
            changed only with a reason, which is told in the definition's History and in the log.
          </AlertDialog.Description>
          <ReasonField value={reason} onChange={setReason} bounds={REASON_LENGTH} inputRef={reasonField} />
          <TypedConfirmation
            {...{ isPending: false, error: null }}
            name={crd}
            whose="the definition's name"
            label="Go on"
            closeLabel="Cancel"
            isReady={reasonSchema.safeParse(reason).success}
            onConfirm={() => answer({ reason: reason.trim() })}
          />
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

// A dialog below is none of its ancestors: once nothing has the focus, it would take the key for its own.
function useAnswerOnEscape(answer: AskedProtection["answer"]): void {
  useEffect(() => {
    const cancel = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.isComposing) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      answer(null);
    };
    document.addEventListener("keydown", cancel, true);
    return () => document.removeEventListener("keydown", cancel, true);
  }, [answer]);
}

// … and a press outside of both for one that closes it.
function useKeepPressesIn(popup: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const keep = (event: Event) => {
      if (!(event.target instanceof Node && popup.current?.contains(event.target))) event.stopPropagation();
    };
    for (const name of PRESSES) window.addEventListener(name, keep, true);
    return () => {
      for (const name of PRESSES) window.removeEventListener(name, keep, true);
    };
  }, [popup]);
}

// Back in the browser's history leaves what was to be changed.
function useAnswerOnLeave(answer: AskedProtection["answer"]): void {
  const path = usePathname();
  const [openedAt] = useState(path);
  useEffect(() => {
    if (path !== openedAt) answer(null);
  }, [path, openedAt, answer]);
}
