"use client";

import { Menu } from "@base-ui/react/menu";
import { Check, ChevronDown } from "lucide-react";
import Link from "next/link";
import { useRef } from "react";
import { menuItemClass, menuPopupClass } from "#components/ui/menu-class.ts";
import type { Cluster } from "#lib/contract/cluster.ts";
import { useClusters } from "#lib/queries/use-cluster-data.ts";
import { fleetHref } from "./hrefs.ts";

/** Which cluster is shown, and the way to every other. */
export function ClusterSwitcher({ cluster }: { cluster: string }) {
  const { data } = useClusters();
  const landmark = useRef<HTMLDivElement>(null);
  const here = data?.clusters.find(({ name }) => name === cluster);
  return (
    <>
      <span aria-hidden className="text-line-strong">
        /
      </span>
      {/* The menu is rendered here, not at the end of the body: all content belongs to a landmark. */}
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
                <p className="px-2.5 py-1 text-ink-soft">Loading the contexts…</p>
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
  unusable: "not usable",
};

function reachability(cluster: Cluster): string {
  if (cluster.failure !== null) return failures[cluster.failure];
  return cluster.reachable === null ? "not tried yet" : (cluster.version ?? "");
}
