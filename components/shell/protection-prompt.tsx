"use client";

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { onProtection } from "#lib/queries/session/protection.ts";
import { type AskedProtection, ProtectionDialog } from "./protection-dialog.tsx";

/** Where a reason is asked for, whichever button changes a protected definition; once per page. */
export function ProtectionPrompt() {
  const [asked, setAsked] = useState<AskedProtection | null>(null);
  const isAsking = useRef(false);
  useFocusBack(asked !== null);

  useEffect(() => {
    return onProtection((change) => {
      // Of two at once the first is asked for, and the other shows its refusal.
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

/** Frames within which a button is on again whose request was given up: a third of a second. */
const FRAMES = 20;

/**
 * Once what is open closes, the focus goes back to what had it before. That may be off until a request has ended, and be without
 * the focus since that began.
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

/** Focuses the element as soon as it can be, or after that what is around it; unless the focus has gone elsewhere meanwhile. */
function giveFocusBack(element: HTMLElement | null, framesLeft: number): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    if (element?.isConnected && !element.matches(":disabled")) element.focus();
    else if (framesLeft > 0) giveFocusBack(element, framesLeft - 1);
    else (element?.closest<HTMLElement>('[role="dialog"], [role="alertdialog"]') ?? document.getElementById("main"))?.focus();
  });
}
