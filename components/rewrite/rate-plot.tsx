import { AreaPlot } from "#components/ui/area-plot.tsx";
import { formatCount } from "#components/ui/format-count.ts";
import { formatDuration } from "#components/ui/format-duration.ts";
import { Section } from "#components/ui/section.tsx";
import type { Run } from "#lib/contract/run.ts";
import { isDelegated, isLive } from "#lib/domain/rewrite.ts";
import { RateLimit } from "./rate-limit.tsx";

/** Two points make a line. */
const LEAST_POINTS = 2;

/** How fast the run was over its time, and the limit while it is at work. */
export function RatePlot({ cluster, run }: { cluster: string; run: Run }) {
  const live = isLive(run);
  const isLimitable = live && !isDelegated(run);
  const plotted = run.rates.perSecond.length >= LEAST_POINTS;
  if (!isLimitable && !plotted) return null;
  return (
    <Section title="Rate" aside={<p>Objects a second, over the time of the run.</p>}>
      <div className="flex flex-col gap-3">
        {plotted ? <Plot rates={run.rates} live={live} /> : <p className="flex h-19 items-center text-ink-soft">Nothing to plot yet.</p>}
        {isLimitable ? <RateLimit cluster={cluster} run={run} /> : null}
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
      <AreaPlot label={`Objects a second over ${span}: least ${least}, most ${most}, last ${last}`} values={perSecond} idle={!live} />
      <p aria-hidden className="flex flex-wrap gap-x-4 text-xs text-ink-soft">
        <span>least {least}/s</span>
        <span>most {most}/s</span>
        <span>last {last}/s</span>
        <span className="ml-auto">over {span}</span>
      </p>
    </div>
  );
}
