"use client";

import { type ReactNode, useEffect, useRef, useState } from "react";

/** A box that scrolls, by keyboard too. A shadow at an edge says that there is more behind it. */
export function ScrollBox({ label, className, children }: { label: string; className: string; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const [hidden, setHidden] = useState({ left: false, right: false });
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => {
      const { scrollLeft, scrollWidth, clientWidth } = element;
      // Fractions of a pixel are rounding.
      const [left, right] = [scrollLeft > 1, scrollLeft + clientWidth < scrollWidth - 1];
      setHidden((old) => (old.left === left && old.right === right ? old : { left, right }));
    };
    measure();
    element.addEventListener("scroll", measure, { passive: true });
    const sizes = new ResizeObserver(measure);
    for (const resized of [element, ...element.children]) sizes.observe(resized);
    return () => {
      element.removeEventListener("scroll", measure);
      sizes.disconnect();
    };
  }, []);
  return (
    <div className="relative">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls */}
      <div
        ref={box}
        role="group"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        className={`relative ${className}`}
      >
        {children}
      </div>
      {hidden.left ? <span aria-hidden className={`${edgeClass} left-0 bg-linear-to-r`} /> : null}
      {hidden.right ? <span aria-hidden className={`${edgeClass} right-0 bg-linear-to-l`} /> : null}
    </div>
  );
}

const edgeClass = "pointer-events-none absolute inset-y-0 w-4 from-ink/20 to-transparent print:hidden";
