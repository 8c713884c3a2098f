import Link from "next/link";
import type { ReactNode } from "react";
import { ModeBanner } from "./mode-banner.tsx";
import { SessionMenu } from "./session-menu.tsx";

/** The top of every page. */
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
          Skip to the content
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
