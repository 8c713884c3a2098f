import type { Crd } from "#lib/domain/definition/crd.ts";
import { type ExactJson, exactProperty } from "#lib/domain/exact-json/exact-json.ts";

/** A step of a JSON patch (RFC 6902). A type, not an interface, so the compiler treats it as JSON. */
export type PatchStep = { op: "test" | "replace" | "add"; path: string; value: ExactJson } | { op: "remove"; path: string };

/** A readable step: its value is a name, text, flag, or strategy None. */
export type PlainPatchStep =
  | { op: "test" | "replace" | "add"; path: string; value: string | boolean | { strategy: "None" } }
  | { op: "remove"; path: string };

/** Extends the steps so that the API server returns a conflict if the definition has changed since it was read. */
export function underResourceVersion({ resourceVersion }: Pick<Crd, "resourceVersion">, steps: readonly PatchStep[]): PatchStep[] {
  return [{ op: "replace", path: "/metadata/resourceVersion", value: resourceVersion }, ...steps];
}

/** The steps that set an annotation, even on a definition without any; with null, those that remove it, if present. */
export function annotationSteps(definition: ExactJson, name: string, value: string | null): PatchStep[] {
  const path = annotationPath(name);
  if (value === null) return annotationOf(definition, name) === undefined ? [] : [{ op: "remove", path }];
  const hasAny = exactProperty(exactProperty(definition, "metadata"), "annotations") !== undefined;
  const step: PatchStep = { op: "add", path, value };
  return hasAny ? [step] : [{ op: "add", path: "/metadata/annotations", value: {} }, step];
}

/** An annotation's text; undefined when missing. */
export function annotationOf(definition: ExactJson, name: string): string | undefined {
  const value = exactProperty(exactProperty(exactProperty(definition, "metadata"), "annotations"), name);
  return typeof value === "string" ? value : undefined;
}

function annotationPath(name: string): string {
  return `/metadata/annotations/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
