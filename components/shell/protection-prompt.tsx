"use client";

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { onProtection } from "#lib/queries/session/protection.ts";
import { type AskedProtection, ProtectionDialog } from "./protection-dialog.tsx";

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
