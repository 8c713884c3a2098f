"use client";

import { Tooltip } from "@base-ui/react/tooltip";
import { clsx } from "clsx";
import type { ReactNode } from "react";

const handle = Tooltip.createHandle<ReactNode>();

/** An explanation on hover and focus. The same information must also be available elsewhere. */
export function Hint({ text, className, children }: { text: ReactNode; className?: string; children: ReactNode }) {
  return (
    <Tooltip.Trigger
      handle={handle}
      payload={text}
      delay={250}
      closeOnClick={false}
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
