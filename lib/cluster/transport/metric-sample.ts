/** One value of a metric, with what its labels say. */
export interface MetricSample<Name extends string> {
  name: Name;
  labels: ReadonlyMap<string, string>;
  value: number;
}

const AFTER_NAME = /^(?:\{((?:\w+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)(?: -?\d+)?$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/**
 * The sample in one line of the Prometheus text format, if it is of one of these metrics; null for any other line and for one that does
 * not follow the format. Source: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function metricSample<Name extends string>(line: string, names: readonly Name[]): MetricSample<Name> | null {
  const name = names.find((one) => line.startsWith(one) && "{ ".includes(line.charAt(one.length)));
  const match = name === undefined ? null : AFTER_NAME.exec(line.slice(name.length));
  if (name === undefined || !match) return null;
  const labels = new Map([...(match[1] ?? "").matchAll(LABEL)].map(([, label = "", value = ""]) => [label, unescaped(value)]));
  return { name, labels, value: Number(match[2]) };
}

function unescaped(value: string): string {
  return value.replaceAll(/\\(.)/g, (_, character: string) => (character === "n" ? "\n" : character));
}
