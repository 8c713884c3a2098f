"use client";

import { AlertDialog } from "@base-ui/react/alert-dialog";
import { usePathname } from "next/navigation";
import { type FormEvent, type RefObject, useCallback, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { TypedNameField } from "#components/shared/typed-confirmation.tsx";
import { dialogBackdropClass, dialogPopupClass } from "#components/ui/dialog.tsx";
import { Button, buttonClass } from "#components/ui/form.tsx";
import { oneLine, REASON_LENGTH, reasonFault } from "#lib/contract/protection.ts";
import { onProtection, type ProtectedChange } from "#lib/queries/session/protection.ts";

/** Prompts for a reason before any change to a protected definition; render once per page. */
export function ProtectionPrompt() {
  const [asked, setAsked] = useState<AskedProtection | null>(null);
  const isAsking = useRef(false);
  useFocusBack(asked !== null);

  useEffect(() => {
    return onProtection((change) => {
      // Of two changes at once, only the first prompts; the other shows its refusal.
      if (isAsking.current) return null;
      isAsking.current = true;
      return new Promise((resolve) => {
        const answer: AskedProtection["answer"] = (given) => {
          isAsking.current = false;
          setAsked(null);
          resolve(given);
        };
        setAsked({ ...change, answer });
      });
    });
  }, []);

  return asked ? <ProtectionDialog {...asked} /> : null;
}

/** How many frames to wait for a button to be enabled again after its request is cancelled: a third of a second. */
const FRAMES = 20;

/**
 * Returns the focus to the previously focused element once the dialog closes. That element may be disabled until a request ends, and
 * have lost the focus when the request started.
 */
function useFocusBack(isOpen: boolean): void {
  const focused = useRef<HTMLElement | null>(null);
  useLayoutEffect(() => {
    if (isOpen) return () => giveFocusBack(focused.current, FRAMES);
    const remember = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement) focused.current = target;
    };
    document.addEventListener("focusin", remember);
    return () => document.removeEventListener("focusin", remember);
  }, [isOpen]);
}

/** Focuses the element once it is enabled, or its dialog or the page after that; does nothing if the focus has moved. */
function giveFocusBack(element: HTMLElement | null, framesLeft: number): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    if (element?.isConnected && !element.matches(":disabled")) element.focus();
    else if (framesLeft > 0) giveFocusBack(element, framesLeft - 1);
    else (element?.closest<HTMLElement>('[role="dialog"], [role="alertdialog"]') ?? document.getElementById("main"))?.focus();
  });
}

interface AskedProtection extends ProtectedChange {
  /** Called with null to cancel. */
  answer: (given: { reason: string } | null) => void;
}

/** Prompts for a reason to change a protected definition, and for its name unless already typed. Opens above other dialogs. */
function ProtectionDialog({ pattern, crd, change, answer }: AskedProtection) {
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
      {/* A dialog below uses the same z-indexes, but its portal has none. */}
      <AlertDialog.Portal className="relative z-60">
        <AlertDialog.Backdrop className={dialogBackdropClass} />
        <AlertDialog.Popup ref={popup} initialFocus={reasonField} finalFocus={false} className={dialogPopupClass}>
          <AlertDialog.Title className="text-base font-semibold [overflow-wrap:anywhere]">{crd} is protected</AlertDialog.Title>
          <AlertDialog.Description className="text-ink-soft">
            The administrator of crdshift protects definitions that match{" "}
            <span className="font-mono [overflow-wrap:anywhere]">{pattern}</span>. To change this one, give a reason.{" "}
            {change.isRecorded ? KEPT_IN_RECORD : KEPT_IN_EVENTS}
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

const KEPT_IN_RECORD = "It is recorded in the definition's annotation, the rewrite's report and crdshift's log.";
const KEPT_IN_EVENTS = "It is recorded in the definition's Events, kept for an hour by default, and in crdshift's log.";

// Going back in the browser history cancels the change.
function useAnswerOnLeave(answer: AskedProtection["answer"]): void {
  const path = usePathname();
  const [openedAt] = useState(path);
  useEffect(() => {
    if (path !== openedAt) answer(null);
  }, [path, openedAt, answer]);
}

/** Why a protected definition can't be changed yet, or null if it can. `typed` is null if the name need not be typed. */
export function withheldBecause({ reason, typed, name }: { reason: string; typed: string | null; name: string }): string | null {
  const fault = reasonFault(reason);
  if (fault !== null || typed === null || typed === name) return fault;
  return typed === "" ? "Type the definition's name." : "The name doesn't match.";
}

const PRESSES = ["pointerdown", "mousedown", "touchstart", "click"] as const;

/**
 * Keeps clicks and Escape from a dialog below that isn't an ancestor of the popup; that dialog would handle clicks outside both, and
 * the key when nothing has the focus. Uses layout effects, since a click may come as soon as the popup is visible.
 */
function useAboveOthers(popup: RefObject<HTMLElement | null>, onEscape: () => void): void {
  useLayoutEffect(() => {
    const leave = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.isComposing) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      onEscape();
    };
    document.addEventListener("keydown", leave, true);
    return () => document.removeEventListener("keydown", leave, true);
  }, [onEscape]);

  useLayoutEffect(() => {
    const keep = (event: Event) => {
      if (!(event.target instanceof Node && popup.current?.contains(event.target))) event.stopPropagation();
    };
    for (const name of PRESSES) window.addEventListener(name, keep, true);
    return () => {
      for (const name of PRESSES) window.removeEventListener(name, keep, true);
    };
  }, [popup]);
}

interface Props {
  value: string;
  onChange: (value: string) => void;
  /** In characters, counted as one line. */
  bounds: { least: number; most: number };
  inputRef: RefObject<HTMLTextAreaElement | null>;
}

/** The field for the reason, with a character count. */
function ReasonField({ value, onChange, bounds, inputRef }: Props) {
  const id = useId();
  const { length } = oneLine(value);
  const isTooLong = length > bounds.most;
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-medium">
        Reason
      </label>
      <textarea
        ref={inputRef}
        id={id}
        rows={3}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={isTooLong}
        aria-describedby={`${id}-count`}
        className="w-full resize-y rounded border border-line-strong bg-page px-2.5 py-1.5 text-sm aria-invalid:border-blocked"
      />
      <p id={`${id}-count`} className={isTooLong ? "text-xs text-blocked" : "text-xs text-ink-soft"}>
        {length} characters ({bounds.least} to {bounds.most} required)
      </p>
    </div>
  );
}
