import { type ExactJson, exactProperty, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { fieldPath, stepOf } from "./field-path.ts";
import { type FieldReader, fieldReader } from "./field-reader.ts";

/**
 * The fields of managedFields entries that don't have the same value in an object as it is read at two versions, as paths. Empty if the
 * entries mean the same at both.
 */
export function unlikeFields(entries: readonly ExactJson[], one: ExactJson | undefined, other: ExactJson | undefined): string[] {
  const comparison: Comparison = { ...fieldReader(), paths: new Set() };
  for (const entry of entries) compare(exactProperty(entry, "fieldsV1"), { one, other }, "", comparison);
  return [...comparison.paths];
}

interface Comparison extends FieldReader {
  paths: Set<string>;
}

interface Values {
  one: ExactJson | undefined;
  other: ExactJson | undefined;
}

function compare(fields: ExactJson | undefined, { one, other }: Values, outer: string, comparison: Comparison): void {
  if (!isExactObject(fields)) return;
  const { memberOf, paths } = comparison;
  const inner = Object.entries(fields);
  const isWhole = inner.length === 0 && outer !== "";
  if (isWhole ? !isSame(one, other, comparison) : kindOf(one) !== kindOf(other)) {
    paths.add(outer);
    return;
  }
  for (const [key, within] of inner) {
    // The field itself, beside inner ones.
    if (key === ".") continue;
    compare(within, { one: memberOf(one, key), other: memberOf(other, key) }, fieldPath(outer, stepOf(key)), comparison);
  }
}

function isSame(one: ExactJson | undefined, other: ExactJson | undefined, { numberOf }: Comparison): boolean {
  if (one === undefined || other === undefined) return one === other;
  return numberOf(one) === numberOf(other);
}

function kindOf(value: ExactJson | undefined): string {
  if (value === undefined) return "none";
  return Array.isArray(value) ? "list" : isExactObject(value) ? "object" : "value";
}
