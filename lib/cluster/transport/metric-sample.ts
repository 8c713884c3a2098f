/** One value of a metric, with its labels. */
export interface MetricSample<Name extends string> {
  name: Name;
  labels: ReadonlyMap<string, string>;
  value: number;
}

const AFTER_NAME = /^(?:\{((?:\w+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)(?: -?\d+)?$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/**
 * Parses one line of the Prometheus text format. Null if it is malformed or belongs to none of these metrics.
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
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
