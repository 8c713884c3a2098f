"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { ChangeButton } from "#components/shared/change-button.tsx";
import { paceWords } from "#components/shared/pace-words.ts";
import { MOST_PER_SECOND } from "#components/start-rewrite/rewrite-options.ts";
import { fieldClass, parseWholeNumber } from "#components/ui/form.tsx";
import { Section } from "#components/ui/section.tsx";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { type Pace, paces } from "#lib/domain/rewrite/pace.ts";
import { isLive, isOtherEngineAtWork } from "#lib/domain/rewrite/run.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { changeRewrite } from "#lib/queries/rewrite/rewrite-mutations.ts";
import { useControlAction } from "./rewrite-heading.tsx";

const LEAST_POINTS = 2;

/** The run's rate over time, and its pace and limit while the run is live. */
export function RatePlot({ cluster, run }: { cluster: string; run: Run }) {
  const live = isLive(run);
  const isLimitable = live && !isOtherEngineAtWork(run);
  const plotted = run.rates.perSecond.length >= LEAST_POINTS;
  if (!isLimitable && !plotted) return null;
  return (
    <Section title="Rate" aside={<p>Objects per second over the rewrite.</p>}>
      <div className="flex flex-col gap-3">
        {plotted ? <Plot rates={run.rates} live={live} /> : <p className="flex h-19 items-center text-ink-soft">Nothing to plot yet.</p>}
        {isLimitable ? <Speed cluster={cluster} run={run} /> : null}
      </div>
    </Section>
  );
}

function Plot({ rates: { everySeconds, perSecond }, live }: { rates: Run["rates"]; live: boolean }) {
  const [least, most, last] = [Math.min(...perSecond), Math.max(...perSecond), perSecond.at(-1) ?? 0].map((rate) =>
    formatCount(Math.round(rate)),
  );
  const span = formatDuration(perSecond.length * everySeconds * 1_000);
  return (
    <div className="flex flex-col gap-1">
      <AreaPlot label={`Objects per second over ${span}: min ${least}, max ${most}, latest ${last}`} values={perSecond} idle={!live} />
      <p aria-hidden className="flex flex-wrap gap-x-4 text-xs text-ink-soft">
        <span>min {least}/s</span>
        <span>max {most}/s</span>
        <span>latest {last}/s</span>
        <span className="ml-auto">over {span}</span>
      </p>
    </div>
  );
}

/** The pace and the rate limit in force, and the fields that change them while the run is live. */
function Speed({ cluster, run }: { cluster: string; run: Run }) {
  const [paceId, limitId, inForceId] = [useId(), useId(), useId()];
  const action = useControlAction(run);
  // Null until the user changes them: the fields show what is in force.
  const [chosen, setChosen] = useState<Pace | null>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const { mutate, isPending, error } = useMutation(changeRewrite(cluster, run.crd, run.id));
  const inForce = run.maxPerSecond === null ? "" : String(run.maxPerSecond);
  const pace = chosen ?? run.pace;
  const limit = parseWholeNumber(typed ?? inForce, MOST_PER_SECOND);
  const isChanged = pace !== run.pace || limit !== run.maxPerSecond;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (limit === undefined) return;
    const reset = () => {
      setChosen(null);
      setTyped(null);
    };
    mutate({ ...(pace !== run.pace && { pace }), ...(limit !== run.maxPerSecond && { maxPerSecond: limit }) }, { onSuccess: reset });
  };
  return (
    <>
      <form onSubmit={submit} className="flex flex-wrap items-center gap-2 text-sm">
        <label htmlFor={paceId} className="text-ink-soft">
          Pace
        </label>
        <select
          id={paceId}
          value={pace}
          aria-describedby={inForceId}
          onChange={(event) => setChosen(paces.find((one) => one === event.target.value) ?? null)}
          className={fieldClass}
        >
          {paces.map((one) => (
            <option key={one} value={one}>
              {paceWords[one].name}
            </option>
          ))}
        </select>
        <label htmlFor={limitId} className="text-ink-soft">
          At most
        </label>
        <input
          id={limitId}
          inputMode="numeric"
          autoComplete="off"
          placeholder="no limit"
          value={typed ?? inForce}
          aria-invalid={limit === undefined}
          aria-describedby={inForceId}
          onChange={(event) => setTyped(event.target.value)}
          className={`${fieldClass} w-24 text-right`}
        />
        <span className="text-ink-soft">objects per second</span>
        <ChangeButton type="submit" action={action} disabled={limit === undefined || !isChanged || isPending}>
          {isPending ? "Applying…" : "Apply"}
        </ChangeButton>
      </form>
      <p id={inForceId} className="text-xs text-ink-soft">
        {limit === undefined
          ? `Enter a whole number from 1 to ${formatCount(MOST_PER_SECOND)}, or leave empty for no limit.`
          : [paceWords[pace].meaning, run.maxPerSecond === null ? "No limit." : `Limit: ${formatCount(run.maxPerSecond)}/s.`].join(" ")}
      </p>
      {error ? <ApiErrorNotice error={error} /> : null}
    </>
  );
}

const WIDTH = 600;
const HEIGHT = 56;

/** A full-width area plot of values over time. `label` describes it for screen readers. */
function AreaPlot({ label, values, idle }: { label: string; values: readonly number[]; idle: boolean }) {
  const line = linePath(plotPoints(values, Math.max(...values, 0), WIDTH, HEIGHT));
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`}
      preserveAspectRatio="none"
      className={idle ? "h-14 w-full text-line-strong" : "h-14 w-full text-working"}
    >
      <path d={`${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} fill="currentColor" opacity="0.12" />
      <path d={line} fill="none" stroke="currentColor" strokeWidth="1.5" vectorEffect="non-scaling-stroke" strokeLinejoin="round" />
      <path d={`M0 ${HEIGHT}L${WIDTH} ${HEIGHT}`} stroke="var(--line)" vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

/** Maps `values` to points across `width`, with 0 at the bottom of `height` and `most` at the top. */
export function plotPoints(values: readonly number[], most: number, width: number, height: number): { x: number; y: number }[] {
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values.map((value, index) => ({ x: round(index * step), y: round(height - (most > 0 ? (value / most) * height : 0)) }));
}

/** The SVG path through the points. */
export function linePath(points: readonly { x: number; y: number }[]): string {
  return points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("");
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
