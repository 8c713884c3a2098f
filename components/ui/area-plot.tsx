const WIDTH = 600;
const HEIGHT = 56;

/** A full-width area plot of values over time. `label` describes it for screen readers. */
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
