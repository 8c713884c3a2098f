import { linePath, plotPoints } from "./plot-path.ts";

const WIDTH = 600;
const HEIGHT = 56;

/** A line over time with the area below it, as wide as its place. `label` says in words what it shows. */
export function AreaPlot({ label, values, idle = false }: { label: string; values: readonly number[]; idle?: boolean }) {
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
