import { type ExactJson, exactProperty, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import type { PatchStep } from "./version-change.ts";

/** Annotation that keeps removed versions, for undo. */
export const REMOVED_ANNOTATION = "crdshift.dev/removed-version";

/** An entry of spec.versions with its schema, exactly as the API server has it. */
export type VersionSpec = { [key: string]: ExactJson; name: string };

export function isVersionSpec(value: ExactJson): value is VersionSpec {
  return isExactObject(value) && typeof exactProperty(value, "name") === "string" && exactProperty(value, "schema") !== undefined;
}

/** The entry of spec.versions with this name; null when there is none. */
export function versionSpec(definition: ExactJson, name: string): VersionSpec | null {
  const versions = exactProperty(exactProperty(definition, "spec"), "versions");
  return Array.isArray(versions) ? (versions.filter(isVersionSpec).find((version) => version.name === name) ?? null) : null;
}

/** The steps that add a version at the end of spec.versions, whose order means nothing. */
export function addVersionSteps(spec: VersionSpec): PatchStep[] {
  return [{ op: "add", path: "/spec/versions/-", value: spec }];
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
