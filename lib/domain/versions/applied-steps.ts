import { type ExactJson, exactProperty, exactText } from "#lib/domain/exact-json/exact-json.ts";
import type { PatchStep } from "./patch-step.ts";

/**
 * Whether the definition has what the steps leave behind. An added list entry counts by its name and flags: the API server fills in the
 * rest of one that was written by hand.
 */
export function areApplied(steps: readonly PatchStep[], definition: ExactJson): boolean {
  return steps.every((step, index) => isOverwritten(step, steps.slice(index + 1)) || isApplied(step, definition, removedName(step, steps)));
}

// A later step writes there, above, or below.
function isOverwritten({ path }: PatchStep, later: readonly PatchStep[]): boolean {
  return later.some(
    (step) => step.op !== "test" && (path === step.path || path.startsWith(`${step.path}/`) || step.path.startsWith(`${path}/`)),
  );
}

/** The name that the step's list entry had, as a test before it says; null if it removes none. */
function removedName({ op, path }: PatchStep, steps: readonly PatchStep[]): ExactJson | null {
  const tested = op === "remove" ? steps.find((step) => step.op === "test" && step.path === `${path}/name`) : undefined;
  return tested?.op === "test" ? tested.value : null;
}

function isApplied(step: PatchStep, definition: ExactJson, removed: ExactJson | null): boolean {
  if (removed !== null) return entriesAt(step, definition).every((entry) => exactProperty(entry, "name") !== removed);
  if (step.op === "remove") return valueAt(definition, step.path) === undefined;
  if (step.path.endsWith("/-")) return entriesAt(step, definition).some((entry) => isLike(entry, step.value));
  const value = valueAt(definition, step.path);
  return value !== undefined && exactText(value) === exactText(step.value);
}

function isLike(entry: ExactJson, added: ExactJson): boolean {
  return ["name", "served", "storage"].every((key) => exactProperty(entry, key) === exactProperty(added, key));
}

/** The list that the step adds to or removes from. */
function entriesAt({ path }: PatchStep, definition: ExactJson): ExactJson[] {
  const list = valueAt(definition, path.slice(0, path.lastIndexOf("/")));
  return Array.isArray(list) ? list : [];
}

function valueAt(definition: ExactJson, path: string): ExactJson | undefined {
  const keys = path.split("/").slice(1);
  return keys.reduce<ExactJson | undefined>((value, key) => {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    return Array.isArray(value) ? value[Number(name)] : exactProperty(value, name);
  }, definition);
}
