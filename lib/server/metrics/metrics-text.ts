/** A Prometheus metric: its name, type and help, and its values. */
export interface Metric {
  name: string;
  type: "counter" | "gauge" | "histogram";
  help: string;
  samples: readonly Sample[];
}

export interface Sample {
  /** The suffix of the name, for the parts of a histogram. */
  suffix?: "_bucket" | "_sum" | "_count";
  labels?: Readonly<Record<string, string>>;
  value: number;
}

/** Metrics in the text format 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
export function metricsText(metrics: readonly Metric[]): string {
  return metrics.flatMap(lines).join("");
}

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** The samples of a histogram: `counts` has the number in each bucket, and last those above all bounds. */
export function histogramSamples(
  bounds: readonly number[],
  counts: readonly number[],
  sum: number,
  labels: Readonly<Record<string, string>>,
): Sample[] {
  let total = 0;
  const buckets = [...bounds.map(String), "+Inf"].map((le, index): Sample => {
    total += counts[index] ?? 0;
    return { suffix: "_bucket", labels: { ...labels, le }, value: total };
  });
  return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: total }];
}

function lines({ name, type, help, samples }: Metric): string[] {
  const values = samples.map(({ suffix = "", labels = {}, value }) => `${name}${suffix}${labelsText(labels)} ${value}\n`);
  return [`# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n`, `# TYPE ${name} ${type}\n`, ...values];
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}
