"use client";

import { AlertDialog } from "@base-ui/react/alert-dialog";
import { usePathname } from "next/navigation";
import { type FormEvent, useCallback, useEffect, useId, useRef, useState } from "react";
import { TypedNameField } from "#components/crd/typed-name-field.tsx";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { dialogBackdropClass, dialogPopupClass } from "#components/ui/dialog-class.ts";
import { REASON_LENGTH } from "#lib/contract/protection.ts";
import type { ProtectedChange } from "#lib/queries/protection.ts";
import { ReasonField } from "./reason-field.tsx";
import { useAboveOthers } from "./use-above-others.ts";
import { withheldBecause } from "./withheld-because.ts";

export interface AskedProtection extends ProtectedChange {
  /** Null to leave it. */
  answer: (given: { reason: string } | null) => void;
}

/** Asks for the reason to change a protected definition, and for its name unless that was typed already; above whatever else is open. */
export function ProtectionDialog({ pattern, crd, change, answer }: AskedProtection) {
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const reasonField = useRef<HTMLTextAreaElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const withheldId = useId();
  useAboveOthers(
    popup,
    useCallback(() => answer(null), [answer]),
  );
  useAnswerOnLeave(answer);
  const withheld = withheldBecause({ reason, typed: change.isNamed ? null : typed, name: crd });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (withheld === null) answer({ reason: reason.trim() });
  };
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && answer(null)}>
      {/* A dialog below has these very layers, without one of their own. */}
      <AlertDialog.Portal className="relative z-60">
        <AlertDialog.Backdrop className={dialogBackdropClass} />
        <AlertDialog.Popup ref={popup} initialFocus={reasonField} finalFocus={false} className={dialogPopupClass}>
          <AlertDialog.Title className="text-base font-semibold [overflow-wrap:anywhere]">{crd} is protected</AlertDialog.Title>
          <AlertDialog.Description className="text-ink-soft">
            Whoever runs this crdshift protects what matches <span className="font-mono [overflow-wrap:anywhere]">{pattern}</span>: it is
            changed only with a reason. {change.isRecorded ? KEPT_IN_RECORD : KEPT_IN_EVENTS}
          </AlertDialog.Description>
          <form onSubmit={submit} className="flex flex-col gap-4">
            <ReasonField value={reason} onChange={setReason} bounds={REASON_LENGTH} inputRef={reasonField} />
            {change.isNamed ? null : <TypedNameField {...{ typed, name: crd }} whose="the definition's name" onChange={setTyped} />}
            <div className="flex flex-wrap items-center justify-end gap-2">
              <p id={withheldId} role="status" className="min-h-5 text-sm text-ink-soft max-sm:basis-full sm:flex-1">
                {withheld}
              </p>
              <AlertDialog.Close className={buttonClass("quiet")}>Cancel</AlertDialog.Close>
              <Button type="submit" weight="danger" disabled={withheld !== null} aria-describedby={withheldId}>
                {change.label}
              </Button>
            </div>
          </form>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

const KEPT_IN_RECORD = "The reason stays in the definition's annotation, is shown in the run's report, and stands in crdshift's log.";
const KEPT_IN_EVENTS = "The reason is kept in the definition's Events, by default for an hour, and in crdshift's log.";

// Back in the browser's history leaves what was to be changed.
function useAnswerOnLeave(answer: AskedProtection["answer"]): void {
  const path = usePathname();
  const [openedAt] = useState(path);
  useEffect(() => {
    if (path !== openedAt) answer(null);
  }, [path, openedAt, answer]);
}
