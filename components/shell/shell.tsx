"use client";

import { Menu } from "@base-ui/react/menu";
import { clsx } from "clsx";
import { Check, ChevronDown } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { type ReactNode, useRef } from "react";
import { enginesHref, fleetHref } from "#components/hrefs.ts";
import { Hint } from "#components/ui/hint.tsx";
import { menuItemClass, menuPopupClass } from "#components/ui/menu-class.ts";
import type { Cluster } from "#lib/contract/cluster.ts";
import { type Liveness, LivenessProvider, useLiveness } from "#lib/queries/live/liveness.tsx";
import { useClusters } from "#lib/queries/live/use-cluster-data.ts";
import { EndingBanner, StaleBanner } from "./banners.tsx";
import { Header } from "./header.tsx";

/** The frame of every page of a cluster. */
export function Shell({ cluster, children }: { cluster: string; children: ReactNode }) {
  return (
    <LivenessProvider key={cluster} cluster={cluster}>
      <Header
        clusterSwitcher={<ClusterSwitcher cluster={cluster} />}
        pageLinks={<PageLinks cluster={cluster} />}
        liveness={<LivenessMark />}
      />
      <StaleBanner cluster={cluster} />
      {/* As tall as the screen minus the header and one line, to keep the banner below at the bottom of the screen. */}
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto min-h-[calc(100dvh-82px)] w-full max-w-[1600px] px-4 pb-16 outline-none sm:px-6 print:min-h-0"
      >
        {children}
      </main>
      <EndingBanner />
    </LivenessProvider>
  );
}

const looks: Record<Liveness["kind"], { dot: string; text: string }> = {
  live: { dot: "bg-good", text: "text-ink-soft" },
  connecting: { dot: "border border-ink-faint", text: "text-ink-soft" },
  polling: { dot: "border-2 border-warning", text: "text-warning" },
  denied: { dot: "border-2 border-blocked", text: "text-blocked" },
  stale: { dot: "rounded-none! bg-blocked", text: "text-blocked" },
};

/** Whether the page is up to date, as a dot with a label. */
function LivenessMark() {
  const liveness = useLiveness();
  const look = looks[liveness.kind];
  return (
    <Hint text={liveness.message} className={clsx("inline-flex h-8 items-center gap-1.5 px-1 text-xs", look.text)}>
      <span aria-hidden className={clsx("size-2 rounded-full", look.dot)} />
      {liveness.kind}
    </Hint>
  );
}

/** The cluster's pages outside any definition. Narrow screens show only the one not linked elsewhere. */
function PageLinks({ cluster }: { cluster: string }) {
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

/** The current cluster, with a menu of all clusters. */
function ClusterSwitcher({ cluster }: { cluster: string }) {
  const { data } = useClusters();
  const landmark = useRef<HTMLDivElement>(null);
  const here = data?.clusters.find(({ name }) => name === cluster);
  return (
    <>
      <span aria-hidden className="text-line-strong">
        /
      </span>
      {/* Render the menu here, not at the end of the body, since all content belongs to a landmark. */}
      <div ref={landmark} className="absolute" />
      <Menu.Root>
        <Menu.Trigger title={cluster} className="flex h-8 min-w-0 items-center gap-1 rounded px-2 text-sm hover:bg-sunken">
          <span className="sr-only">Cluster </span>
          <span className="max-w-80 truncate">{cluster}</span>
          {here?.version ? <span className="text-xs text-ink-faint max-sm:hidden">{here.version}</span> : null}
          <ChevronDown size={14} aria-hidden className="shrink-0 text-ink-faint" />
        </Menu.Trigger>
        <Menu.Portal container={landmark}>
          <Menu.Positioner sideOffset={4} align="start" className="z-50">
            <Menu.Popup className={`${menuPopupClass} max-w-[min(32rem,calc(100vw-2rem))]`}>
              {data?.clusters.map((item) => <ClusterItem key={item.name} item={item} selected={item.name === cluster} />) ?? (
                <p className="px-2.5 py-1 text-ink-soft">Loading contexts…</p>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {here?.readOnly ? (
        <span className="rounded border border-line px-1.5 text-xs whitespace-nowrap text-ink-soft max-sm:hidden">read only</span>
      ) : null}
    </>
  );
}

function ClusterItem({ item, selected }: { item: Cluster; selected: boolean }) {
  return (
    <Menu.LinkItem
      render={<Link href={fleetHref(item.name)} prefetch={false} />}
      closeOnClick
      aria-current={selected ? "page" : undefined}
      className={menuItemClass}
    >
      <span className="size-4 shrink-0">{selected ? <Check size={14} aria-hidden /> : null}</span>
      <span className="min-w-0 flex-1">
        <span className="block truncate" title={item.name}>
          {item.name}
        </span>
        <span className="block truncate text-xs text-ink-faint" title={item.message ?? item.server}>
          {item.reachable === false ? (item.message ?? item.server) : item.server}
        </span>
      </span>
      <span className={`shrink-0 text-xs ${item.reachable === false ? "text-blocked" : "text-ink-soft"}`}>{reachability(item)}</span>
    </Menu.LinkItem>
  );
}

const failures: Record<NonNullable<Cluster["failure"]>, string> = {
  unreachable: "unreachable",
  "credentials-refused": "credentials refused",
  forbidden: "access denied",
  unusable: "unusable",
};

function reachability(cluster: Cluster): string {
  if (cluster.failure !== null) return failures[cluster.failure];
  return cluster.reachable === null ? "not tried yet" : (cluster.version ?? "");
}
