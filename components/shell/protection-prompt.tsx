"use client";

import { useEffect, useRef, useState } from "react";
import { onProtection } from "#lib/queries/protection.ts";
import { type AskedProtection, ProtectionDialog } from "./protection-dialog.tsx";
import { useFocusBack } from "./use-focus-back.ts";

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
