"use client";

import { clsx } from "clsx";
import { StateShape } from "#components/crd/marks/state-mark.tsx";
import { VersionLegend } from "#components/crd/marks/version-badge.tsx";
import type { CrdSummary } from "#lib/contract/definition/crd.ts";
import { type CrdStateName, crdStates } from "#lib/domain/definition/crd-state.ts";
import { stateWords } from "#lib/domain/definition/state-words.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";

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
