"use client";

import { clsx } from "clsx";
import { Search } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import { StateShape } from "#components/shared/marks.tsx";
import { VersionLegend } from "#components/shared/version-badge.tsx";
import type { CrdSummary } from "#lib/contract/definition/crd.ts";
import { type CrdStateName, crdStates, stateWords } from "#lib/domain/definition/crd-state.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import type { useFleetView } from "./use-fleet-view.ts";

type FleetView = ReturnType<typeof useFleetView>;

const fieldClass = "h-9 rounded border border-line-strong/60 bg-raised text-sm placeholder:text-ink-faint hover:border-line-strong";

/** Search and group filter. `/` focuses the search. */
export function FleetToolbar({ crds, view, setView }: Pick<FleetView, "view" | "setView"> & { crds: CrdSummary[] | null }) {
  const search = useRef<HTMLInputElement>(null);
  const groups = useMemo(() => [...new Set(crds?.map((crd) => crd.group))].sort(), [crds]);
  useSlashKey(() => search.current?.focus());
  return (
    <search className="flex flex-wrap gap-2 pb-2">
      <div className="relative min-w-0 flex-1 basis-72">
        <Search size={14} aria-hidden className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-ink-faint" />
        <input
          ref={search}
          type="search"
          aria-label="Search name, group, kind, or paste an API server error"
          aria-keyshortcuts="/"
          placeholder="Search name, group, kind, or paste an API server error"
          autoComplete="off"
          spellCheck={false}
          value={view.q}
          onChange={(event) => setView({ q: event.target.value || null })}
          onKeyDown={(event) => event.key === "Escape" && setView({ q: null })}
          className={`${fieldClass} w-full pr-9 pl-8`}
        />
        <kbd
          aria-hidden
          className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 rounded border border-line px-1.5 font-mono text-xs text-ink-faint max-sm:hidden"
        >
          /
        </kbd>
      </div>
      <select
        aria-label="Group"
        value={view.group ?? ""}
        onChange={(event) => setView({ group: event.target.value || null })}
        className={`${fieldClass} w-56 truncate px-2 max-sm:w-full`}
      >
        <option value="">All groups</option>
        {view.group && !groups.includes(view.group) ? <option value={view.group}>{view.group}</option> : null}
        {groups.map((group) => (
          <option key={group} value={group}>
            {group}
          </option>
        ))}
      </select>
    </search>
  );
}

function useSlashKey(onSlash: () => void) {
  const latest = useRef(onSlash);
  latest.current = onSlash;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select, [contenteditable]");
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

/** The number of definitions in each state; each is a filter. */
export function StateTotals(props: {
  crds: CrdSummary[] | null;
  shown: number | null;
  selected: readonly CrdStateName[];
  onSelect: (states: CrdStateName[] | null) => void;
}) {
  const { crds, shown, selected, onSelect } = props;
  const toggle = (state: CrdStateName) => {
    const next = selected.includes(state) ? selected.filter((other) => other !== state) : [...selected, state];
    onSelect(next.length === 0 ? null : next);
  };
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 pt-4 pb-3 sm:min-h-16">
      <p role="status" className="min-w-36 text-lg font-semibold max-sm:w-full">
        {crds === null || shown === null ? (
          <span className="skeleton inline-block h-5 w-36 align-middle" />
        ) : (
          totalWords(crds.length, shown)
        )}
      </p>
      <fieldset className="-mx-2 flex flex-wrap items-center gap-x-1">
        <legend className="sr-only">Filter by state</legend>
        {crdStates.map((state) => {
          const count = crds?.filter((crd) => crd.state === state).length ?? null;
          const pressed = selected.includes(state);
          return (
            <button
              key={state}
              type="button"
              aria-pressed={pressed}
              onClick={() => toggle(state)}
              className={clsx(
                "inline-flex h-8 items-center gap-1.5 rounded border px-2 text-sm",
                pressed ? "border-line-strong bg-sunken text-ink" : "border-transparent hover:bg-sunken",
                !pressed && (count === 0 ? "text-ink-faint" : "text-ink-soft"),
              )}
            >
              <StateShape state={state} className={clsx(count === 0 && "text-ink-faint!")} />
              <span className={clsx("min-w-[1ch]", count !== 0 && "font-medium text-ink")}>
                {count === null ? "–" : formatCount(count)}
              </span>
              {stateWords[state]}
            </button>
          );
        })}
      </fieldset>
      <div className="ml-auto max-xl:ml-0 max-lg:hidden">
        <VersionLegend />
      </div>
    </div>
  );
}

function totalWords(all: number, shown: number): string {
  return shown === all ? formatCountOf(all, "definition") : `${formatCount(shown)} of ${formatCountOf(all, "definition")}`;
}
