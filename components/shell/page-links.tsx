"use client";

import { clsx } from "clsx";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { enginesHref, fleetHref } from "./hrefs.ts";

/** The pages of a cluster that belong to no definition. On a narrow screen the one that is nowhere else linked. */
export function PageLinks({ cluster }: { cluster: string }) {
  const path = usePathname();
  const pages = [
    { href: fleetHref(cluster), name: "Definitions", narrow: "max-sm:hidden" },
    { href: enginesHref(cluster), name: "Engines", narrow: null },
  ];
  return (
    <nav aria-label="Pages" className="flex shrink-0 gap-1">
      {pages.map(({ href, name, narrow }) => {
        const isHere = path === href;
        return (
          <Link
            key={href}
            href={href}
            prefetch={false}
            aria-current={isHere ? "page" : undefined}
            className={clsx(
              "inline-flex h-8 items-center rounded px-2 text-sm hover:bg-sunken",
              isHere ? "font-medium text-ink" : "text-ink-soft",
              narrow,
            )}
          >
            {name}
          </Link>
        );
      })}
    </nav>
  );
}
