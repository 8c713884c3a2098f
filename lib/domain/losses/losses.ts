import { type ExactJson, ExactNumber, exactProperty, exactText, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { formatFieldPath, type PathStep } from "#lib/domain/objects/field-path.ts";

/**
 * What a rewrite changes in an object beyond its storage version: it drops a field that the storage version lacks, changes a value,
 * stores a default, or loses a managedFields entry.
 */
export const lossKinds = ["dropped", "changed", "managed-fields", "defaulted"] as const;
export type LossKind = (typeof lossKinds)[number];

/** The loss at one path of one object. For managed-fields, the path names the manager. */
export interface ObjectLoss {
  kind: LossKind;
  path: string;
}

/** A loss aggregated over all objects. */
export interface Loss extends ObjectLoss {
  objects: number;
  examples: { namespace: string; name: string }[];
}

/** Whether a loss holds a rewrite back until it is accepted. Stored defaults are reported but don't. */
export function holdsBack(kind: LossKind): boolean {
  return kind !== "defaulted";
}

/** The API server's bookkeeping, and managedFields, which have a separate comparison. */
const BOOKKEEPING = new Set(["metadata.resourceVersion", "metadata.generation", "metadata.managedFields"]);

/** Differences between an object and the dry run's response, both at the same version. Each path at most once per kind. */
export function fieldLosses(before: ExactJson, after: ExactJson): ObjectLoss[] {
  const losses = new Map<string, ObjectLoss>();
  const add = (kind: LossKind, steps: PathStep[]) => {
    const path = formatFieldPath(steps);
    if (!BOOKKEEPING.has(formatFieldPath(steps.slice(0, 2)))) losses.set(`${kind} ${path}`, { kind, path });
  };
  compare(before, after, [], add);
  return [...losses.values()];
}

function compare(before: ExactJson, after: ExactJson, steps: PathStep[], add: (kind: LossKind, steps: PathStep[]) => void): void {
  if (Array.isArray(before) && Array.isArray(after)) {
    compareLists(before, after, steps, add);
    return;
  }
  if (!isExactObject(before) || !isExactObject(after)) {
    if (exactText(before) !== exactText(after)) add("changed", steps);
    return;
  }
  for (const [key, value] of Object.entries(before)) {
    const path = [...steps, { key }];
    const now = exactProperty(after, key);
    if (now === undefined) add("dropped", path);
    else compare(value, now, path, add);
  }
  for (const key of Object.keys(after)) if (!Object.hasOwn(before, key)) add("defaulted", [...steps, { key }]);
}

function compareLists(before: ExactJson[], after: ExactJson[], steps: PathStep[], add: (kind: LossKind, steps: PathStep[]) => void): void {
  const path: PathStep[] = [...steps, "index"];
  if (before.length === after.length) {
    for (const [index, item] of before.entries()) compare(item, after[index] ?? null, path, add);
    return;
  }
  // List items have no identity, so only items missing from one list can be reported.
  if (before.length > after.length) add("dropped", path);
  else add("defaulted", path);
  const afterwards = new Set(after.map(exactText));
  const kept = before.filter((item) => afterwards.has(exactText(item))).length;
  if (kept < Math.min(before.length, after.length)) add("changed", path);
}

/** Lost managedFields entries by manager, whose next unforced server-side apply would conflict. */
export function managedFieldsLosses(before: ExactJson, after: ExactJson): ObjectLoss[] {
  const kept = new Set(ownersOf(after).map(({ key }) => key));
  const lost = ownersOf(before).filter(({ key }) => !kept.has(key));
  const paths = new Set(lost.map(({ manager }) => `metadata.managedFields[manager=${JSON.stringify(manager)}]`));
  return [...paths].map((path) => ({ kind: "managed-fields", path }));
}

function ownersOf(object: ExactJson): { manager: string; key: string }[] {
  const entries = exactProperty(exactProperty(object, "metadata"), "managedFields");
  if (!Array.isArray(entries)) return [];
  const text = (entry: ExactJson, property: string) => {
    const value = exactProperty(entry, property);
    return typeof value === "string" ? value : "";
  };
  return entries.map((entry) => ({
    manager: text(entry, "manager"),
    // Without the version, because an entry may be carried over to another one.
    key: JSON.stringify(["manager", "operation", "subresource"].map((property) => text(entry, property))),
  }));
}

/** metadata.generation as a number; null when there is none. */
export function generationOf(object: ExactJson): number | null {
  const generation = exactProperty(exactProperty(object, "metadata"), "generation");
  return generation instanceof ExactNumber ? Number(generation.text) : null;
}
