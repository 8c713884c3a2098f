/** The points of a line through `values` that spans `width`, with 0 at the bottom and `most` at the top of `height`. */
export function plotPoints(values: readonly number[], most: number, width: number, height: number): { x: number; y: number }[] {
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values.map((value, index) => ({ x: round(index * step), y: round(height - (most > 0 ? (value / most) * height : 0)) }));
}

/** The path of the line through the points. */
export function linePath(points: readonly { x: number; y: number }[]): string {
  return points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("");
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
