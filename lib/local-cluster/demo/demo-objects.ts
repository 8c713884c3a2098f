import type { DemoObject } from "./demo-crd.ts";

/** The namespaces of the demo: one a team. */
export const namespaces = ["team-payments", "team-search", "team-data"] as const;

/** `count` objects `<prefix>-0001` …, spread over the namespaces. */
export function namespacedObjects(count: number, prefix: string, spec: (index: number) => object): DemoObject[] {
  return clusterObjects(count, prefix, spec).map((object, index) => ({ ...object, namespace: pick(namespaces, index) }));
}

/** `count` objects `<prefix>-0001` … without a namespace. */
export function clusterObjects(count: number, prefix: string, spec: (index: number) => object): DemoObject[] {
  const digits = String(count).length;
  return Array.from({ length: count }, (_, index) => ({
    name: `${prefix}-${String(index + 1).padStart(digits, "0")}`,
    spec: spec(index),
  }));
}

/** The values in turn. */
export function pick<T>(values: readonly [T, ...T[]], index: number): T {
  return values[index % values.length] ?? values[0];
}
