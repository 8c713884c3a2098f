"use client";

import { clsx } from "clsx";
import Link from "next/link";
import type { ReactNode } from "react";
import { useSession } from "#lib/queries/session/session-query.ts";
import { SessionMenu } from "./session-menu.tsx";

/** The header of every page. */
export function Header({
  clusterSwitcher,
  pageLinks,
  liveness,
}: {
  clusterSwitcher?: ReactNode;
  pageLinks?: ReactNode;
  liveness?: ReactNode;
}) {
  return (
    <>
      <header className="sticky top-0 z-30 border-b border-line bg-page print:hidden">
        <a href="#main" className="absolute -top-12 left-4 z-40 rounded bg-ink px-3 py-1.5 text-sm text-page focus:top-1.5">
          Skip to content
        </a>
        <div className="mx-auto flex h-12 max-w-[1600px] items-center gap-3 px-4 sm:px-6">
          <Link href="/" className="text-[15px] font-semibold tracking-tight">
            crdshift
          </Link>
          {clusterSwitcher}
          {pageLinks}
          <div className="ml-auto flex items-center gap-2">
            {liveness}
            <SessionMenu />
          </div>
        </div>
      </header>
      <ModeBanner />
    </>
  );
}

/** The read-only banner, which also says if an account is shared. */
function ModeBanner() {
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
          ? "Read only. Everyone who can reach this address uses one shared account."
          : "Read only. You can't change anything here."}
      </p>
    </aside>
  );
}
