import { type RefObject, useLayoutEffect } from "react";

const PRESSES = ["pointerdown", "mousedown", "touchstart", "click"] as const;

/**
 * Keeps presses and Escape from a dialog below that is none of the popup's ancestors: it would take a press outside of both, and
 * the key once nothing has the focus, for its own. From the first frame on: a press may come as soon as the popup is seen.
 */
export function useAboveOthers(popup: RefObject<HTMLElement | null>, onEscape: () => void): void {
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
