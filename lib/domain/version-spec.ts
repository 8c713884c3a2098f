import { type ExactJson, exactProperty, isExactObject } from "./exact-json.ts";
import type { PatchStep } from "./version-change.ts";

/** Where crdshift keeps the version that it removed last, for its undo. */
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

/** The steps that set an annotation, whether the definition has any yet or not. */
export function annotationSteps(definition: ExactJson, name: string, value: string): PatchStep[] {
  const path = `/metadata/annotations/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const hasAny = exactProperty(exactProperty(definition, "metadata"), "annotations") !== undefined;
  const step: PatchStep = { op: "add", path, value };
  return hasAny ? [step] : [{ op: "add", path: "/metadata/annotations", value: {} }, step];
}

/** The text of an annotation; undefined when the definition lacks it. */
export function annotationOf(definition: ExactJson, name: string): string | undefined {
  const value = exactProperty(exactProperty(exactProperty(definition, "metadata"), "annotations"), name);
  return typeof value === "string" ? value : undefined;
}
