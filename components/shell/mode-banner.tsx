"use client";

import { clsx } from "clsx";
import { useSession } from "#lib/queries/use-session.ts";

/** Says, where nothing can be changed, that it is so, and who reads along. */
export function ModeBanner() {
  const session = useSession();
  if (!session?.readOnly) return null;
  const isShared = session.mode === "unsafe-shared-readonly";
  return (
    <aside
      aria-label="Read only"
      className={clsx("border-b text-sm print:hidden", isShared ? "border-warning bg-warning-wash" : "border-line bg-sunken text-ink-soft")}
    >
      <p className="mx-auto max-w-[1600px] px-4 py-1.5 sm:px-6">
        {isShared
          ? "Everybody who reaches this address reads with one shared account. Nothing can be changed."
          : "Read only: nothing can be changed here."}
      </p>
    </aside>
  );
}
